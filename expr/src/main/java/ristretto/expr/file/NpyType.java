package ristretto.expr.file;

import java.util.Optional;
import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.ScalarType;

/** NumPy type descriptor such as {@code <f4}: byte order, kind, size. */
record NpyType(ScalarType type, boolean bigEndian) {
  static final String SUPPORTED = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1";

  static Optional<NpyType> of(String descr) {
    boolean ordered = !descr.isEmpty() && "<>|=".indexOf(descr.charAt(0)) >= 0;
    boolean bigEndian = ordered && descr.charAt(0) == '>';
    boolean orderless = ordered && descr.charAt(0) == '|';
    return scalar(ordered ? descr.substring(1) : descr)
        .filter(type -> type.bytes() == 1 || !orderless)
        .map(type -> new NpyType(type, bigEndian && type.bytes() > 1));
  }

  /** Descriptor for writing; throws for bf16, which NumPy does not have. */
  static NpyType of(ScalarType type, String name) {
    if (type == ScalarType.BF16) {
      throw new ShapeException(
          "[save] .npy and .npz hold NumPy's dtypes, which do not include bf16; got tensor '%s' of bf16;"
                  .formatted(name)
              + " cast it to f32 first or save it as .safetensors");
    }
    return new NpyType(type, false);
  }

  String descr() {
    String order = type.bytes() == 1 ? "|" : bigEndian ? ">" : "<";
    return order
        + switch (type) {
          case BOOL -> "b1";
          case I8 -> "i1";
          case U8 -> "u1";
          case I16 -> "i2";
          case U16 -> "u2";
          case U32 -> "u4";
          case U64 -> "u8";
          case I32 -> "i4";
          case I64 -> "i8";
          case F16 -> "f2";
          case F32 -> "f4";
          case F64 -> "f8";
          case BF16 -> throw new AssertionError("no NpyType is made of bf16");
        };
  }

  private static Optional<ScalarType> scalar(String kindAndSize) {
    return Optional.ofNullable(
        switch (kindAndSize) {
          case "b1", "?" -> ScalarType.BOOL;
          case "i1" -> ScalarType.I8;
          case "u1" -> ScalarType.U8;
          case "i2" -> ScalarType.I16;
          case "u2" -> ScalarType.U16;
          case "u4" -> ScalarType.U32;
          case "u8" -> ScalarType.U64;
          case "i4" -> ScalarType.I32;
          case "i8" -> ScalarType.I64;
          case "f2" -> ScalarType.F16;
          case "f4" -> ScalarType.F32;
          case "f8" -> ScalarType.F64;
          default -> null;
        });
  }
}
