package ristretto.llm.gguf;

import java.util.Optional;
import ristretto.expr.Ops;
import ristretto.expr.type.DType;
import ristretto.kernels.block.BlockFormat;

/**
 * Types of the tensors of GGUF files, by their numbers there. Tensors of a type with neither a
 * dtype nor a block format can be listed, but not read.
 */
public enum GgufType {
  F32(0, 1, 4),
  F16(1, 1, 2),
  Q4_0(2, 32, 18),
  Q4_1(3, 32, 20),
  Q5_0(6, 32, 22),
  Q5_1(7, 32, 24),
  Q8_0(8, 32, 34),
  Q8_1(9, 32, 36),
  Q2_K(10, 256, 84),
  Q3_K(11, 256, 110),
  Q4_K(12, 256, 144),
  Q5_K(13, 256, 176),
  Q6_K(14, 256, 210),
  Q8_K(15, 256, 292),
  IQ2_XXS(16, 256, 66),
  IQ2_XS(17, 256, 74),
  IQ3_XXS(18, 256, 98),
  IQ1_S(19, 256, 50),
  IQ4_NL(20, 32, 18),
  IQ3_S(21, 256, 110),
  IQ2_S(22, 256, 82),
  IQ4_XS(23, 256, 136),
  I8(24, 1, 1),
  I16(25, 1, 2),
  I32(26, 1, 4),
  I64(27, 1, 8),
  F64(28, 1, 8),
  IQ1_M(29, 256, 56),
  BF16(30, 1, 2),
  TQ1_0(34, 256, 54),
  TQ2_0(35, 256, 66),
  MXFP4(39, 32, 17);

  private final int number;
  private final int length;
  private final int bytes;

  GgufType(int number, int length, int bytes) {
    this.number = number;
    this.length = length;
    this.bytes = bytes;
  }

  /** Number of the type in files. */
  public int number() {
    return number;
  }

  /** Number of elements of a block, of which rows are made; 1 for single elements. */
  public int length() {
    return length;
  }

  /** Number of bytes of a block. */
  public int bytes() {
    return bytes;
  }

  /** Dtype of single elements; empty for blocks. */
  public Optional<DType<?>> dtype() {
    return Optional.ofNullable(
        switch (this) {
          case F32 -> Ops.F32;
          case F16 -> Ops.F16;
          case BF16 -> Ops.BF16;
          case F64 -> Ops.F64;
          case I8 -> Ops.I8;
          case I16 -> Ops.I16;
          case I32 -> Ops.I32;
          case I64 -> Ops.I64;
          default -> null;
        });
  }

  /** Format of blocks; empty for single elements and for formats that cannot be read. */
  public Optional<BlockFormat> blocks() {
    return Optional.ofNullable(
        switch (this) {
          case Q8_0 -> BlockFormat.Q8_0;
          case Q4_0 -> BlockFormat.Q4_0;
          case Q4_K -> BlockFormat.Q4_K;
          case Q6_K -> BlockFormat.Q6_K;
          default -> null;
        });
  }

  static Optional<GgufType> of(int number) {
    for (GgufType type : values()) {
      if (type.number == number) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }
}
