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
  /** Single elements of 32 bits. */
  F32(0, 1, 4),

  /** Single elements of 16 bits. */
  F16(1, 1, 2),

  /** Blocks of 32 elements and 18 bytes. */
  Q4_0(2, 32, 18),

  /** Blocks of 32 elements and 20 bytes. */
  Q4_1(3, 32, 20),

  /** Blocks of 32 elements and 22 bytes. */
  Q5_0(6, 32, 22),

  /** Blocks of 32 elements and 24 bytes. */
  Q5_1(7, 32, 24),

  /** Blocks of 32 elements and 34 bytes. */
  Q8_0(8, 32, 34),

  /** Blocks of 32 elements and 36 bytes. */
  Q8_1(9, 32, 36),

  /** Blocks of 256 elements and 84 bytes. */
  Q2_K(10, 256, 84),

  /** Blocks of 256 elements and 110 bytes. */
  Q3_K(11, 256, 110),

  /** Blocks of 256 elements and 144 bytes. */
  Q4_K(12, 256, 144),

  /** Blocks of 256 elements and 176 bytes. */
  Q5_K(13, 256, 176),

  /** Blocks of 256 elements and 210 bytes. */
  Q6_K(14, 256, 210),

  /** Blocks of 256 elements and 292 bytes. */
  Q8_K(15, 256, 292),

  /** Blocks of 256 elements and 66 bytes. */
  IQ2_XXS(16, 256, 66),

  /** Blocks of 256 elements and 74 bytes. */
  IQ2_XS(17, 256, 74),

  /** Blocks of 256 elements and 98 bytes. */
  IQ3_XXS(18, 256, 98),

  /** Blocks of 256 elements and 50 bytes. */
  IQ1_S(19, 256, 50),

  /** Blocks of 32 elements and 18 bytes. */
  IQ4_NL(20, 32, 18),

  /** Blocks of 256 elements and 110 bytes. */
  IQ3_S(21, 256, 110),

  /** Blocks of 256 elements and 82 bytes. */
  IQ2_S(22, 256, 82),

  /** Blocks of 256 elements and 136 bytes. */
  IQ4_XS(23, 256, 136),

  /** Single elements of 8 bits. */
  I8(24, 1, 1),

  /** Single elements of 16 bits. */
  I16(25, 1, 2),

  /** Single elements of 32 bits. */
  I32(26, 1, 4),

  /** Single elements of 64 bits. */
  I64(27, 1, 8),

  /** Single elements of 64 bits. */
  F64(28, 1, 8),

  /** Blocks of 256 elements and 56 bytes. */
  IQ1_M(29, 256, 56),

  /** Single elements of 16 bits. */
  BF16(30, 1, 2),

  /** Blocks of 256 elements and 54 bytes. */
  TQ1_0(34, 256, 54),

  /** Blocks of 256 elements and 66 bytes. */
  TQ2_0(35, 256, 66),

  /** Blocks of 32 elements and 17 bytes. */
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
