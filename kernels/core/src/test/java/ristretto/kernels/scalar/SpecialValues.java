package ristretto.kernels.scalar;

import java.util.List;
import java.util.stream.LongStream;

/** The values that rules about arithmetic forget, for each compute type. */
public final class SpecialValues {
  private SpecialValues() {}

  /** Special values as {@link Node.Const} bits. */
  public static List<Long> bits(ScalarType type) {
    return of(type).stream().map(ScalarOps::bits).toList();
  }

  public static List<Object> of(ScalarType type) {
    return switch (type) {
      case BOOL -> List.of(false, true);
      case I32 ->
          List.of(
              0,
              1,
              -1,
              2,
              3,
              -7,
              31,
              32,
              33,
              255,
              65_536,
              16_777_217,
              Integer.MAX_VALUE,
              Integer.MIN_VALUE);
      case I64 ->
          LongStream.of(
                  0,
                  1,
                  -1,
                  2,
                  -7,
                  63,
                  64,
                  1L << 31,
                  1L << 32,
                  -(1L << 31) - 1,
                  (1L << 53) + 1,
                  (1L << 62) + 1,
                  Long.MAX_VALUE,
                  Long.MIN_VALUE)
              .mapToObj(v -> (Object) v)
              .toList();
      case F32 ->
          List.of(
              0f,
              -0f,
              1f,
              -1f,
              0.5f,
              2f,
              3f,
              -2.5f,
              0.1f,
              1.0000001f,
              1e-30f,
              1e30f,
              -88f,
              89f,
              1e6f,
              3e9f,
              Float.MIN_VALUE,
              -Float.MIN_VALUE,
              Float.MIN_NORMAL,
              Float.MAX_VALUE,
              -Float.MAX_VALUE,
              0x1p126f,
              0x1p-126f,
              Float.POSITIVE_INFINITY,
              Float.NEGATIVE_INFINITY,
              Float.NaN);
      case F64 ->
          List.of(
              0d,
              -0d,
              1d,
              -1d,
              0.5,
              2d,
              3d,
              -2.5,
              0.1,
              1.0000000000000002,
              1e-20,
              1e300,
              -745d,
              710d,
              1e6,
              1e19,
              (double) 0.1f,
              Double.MIN_VALUE,
              -Double.MIN_VALUE,
              Double.MIN_NORMAL,
              Double.MAX_VALUE,
              -Double.MAX_VALUE,
              0x1p1022,
              0x1p-1022,
              Double.POSITIVE_INFINITY,
              Double.NEGATIVE_INFINITY,
              Double.NaN);
      case I8, U8, I16, U16, U32, U64, F16, BF16 -> throw new AssertionError(type);
    };
  }
}
