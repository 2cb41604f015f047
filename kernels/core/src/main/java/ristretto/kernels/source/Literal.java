package ristretto.kernels.source;

import java.util.Locale;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;

/** Text of constants and type names. */
final class Literal {
  private Literal() {}

  static String type(ScalarType type) {
    return switch (type) {
      case BOOL -> "flag";
      case I32, I64, F32, F64 -> type.name().toLowerCase(Locale.ROOT);
      case F16, BF16, I8, U8, I16, U16, U32, U64 -> throw new AssertionError(type);
    };
  }

  /** Returns the type of an element in memory. */
  static String storage(ScalarType type) {
    return switch (type) {
      case BOOL -> "b8";
      case U8 -> "u8";
      case I8 -> "i8";
      case I16 -> "i16";
      case F16, BF16, U16 -> "u16";
      case U32 -> "u32";
      case U64 -> throw new AssertionError(type);
      case I32, I64, F32, F64 -> type(type);
    };
  }

  static String zero(ScalarType type) {
    return type == ScalarType.BOOL ? "false" : "0";
  }

  static String of(Node.Const c) {
    return of(c.type(), c.bits());
  }

  static String of(ScalarType type, long bits) {
    return switch (type) {
      case BOOL -> bits != 0 ? "true" : "false";
      case I32 -> i32((int) bits);
      case I64 -> i64(bits);
      case F32 -> f32(Float.intBitsToFloat((int) bits));
      case F64 -> f64(Double.longBitsToDouble(bits));
      case F16, BF16, I8, U8, I16, U16, U32, U64 -> throw new AssertionError(type);
    };
  }

  private static String i32(int v) {
    if (v == Integer.MIN_VALUE) {
      return "(-2147483647 - 1)";
    }
    return v < 0 ? "(" + v + ")" : "" + v;
  }

  private static String i64(long v) {
    if (v == Long.MIN_VALUE) {
      return "(-I64(9223372036854775807) - 1)";
    }
    return v < 0 ? "(-I64(" + -v + "))" : "I64(" + v + ")";
  }

  private static String f32(float v) {
    if (Float.isNaN(v) || Float.isInfinite(v)) {
      return "F32_BITS(" + i32(Float.floatToRawIntBits(v)) + ")";
    }
    return v < 0 || 1 / v < 0 ? "(" + Float.toHexString(v) + "f)" : Float.toHexString(v) + "f";
  }

  private static String f64(double v) {
    if (Double.isNaN(v) || Double.isInfinite(v)) {
      return "F64_BITS(" + i64(Double.doubleToRawLongBits(v)) + ")";
    }
    return v < 0 || 1 / v < 0 ? "(" + Double.toHexString(v) + ")" : Double.toHexString(v);
  }
}
