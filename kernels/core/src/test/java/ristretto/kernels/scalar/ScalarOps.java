package ristretto.kernels.scalar;

import org.apache.commons.math3.special.Erf;

/**
 * One {@link Op} on Java values: Boolean, Integer, Long, Float and Double stand for BOOL, I32, I64,
 * F32 and F64. The arithmetic is that of the operands' Java type; transcendental functions of a
 * Float are computed in double and rounded once.
 */
public final class ScalarOps {
  private ScalarOps() {}

  /** Any operation but CONVERT and BITCAST; unused operands are null. */
  public static Object apply(Op op, Object a, Object b, Object c) {
    if (op == Op.SELECT) {
      return (Boolean) a ? b : c;
    }
    return switch (a) {
      case Boolean x -> bool(op, x, b == null ? false : (Boolean) b);
      case Integer x -> i32(op, x, b == null ? 0 : (Integer) b);
      case Long x -> i64(op, x, b == null ? 0 : (Long) b);
      case Float x -> f32(op, x, b == null ? 0 : (Float) b, c == null ? 0 : (Float) c);
      case Double x -> f64(op, x, b == null ? 0 : (Double) b, c == null ? 0 : (Double) c);
      default -> throw new AssertionError(a.getClass());
    };
  }

  /** {@code a} as a value of {@code type}, by Java's conversions; to BOOL: not zero. */
  public static Object convert(Object a, ScalarType type) {
    if (type == ScalarType.BOOL) {
      return switch (a) {
        case Boolean x -> x;
        case Integer x -> x != 0;
        case Long x -> x != 0;
        case Float x -> x != 0;
        case Double x -> x != 0;
        default -> throw new AssertionError(a.getClass());
      };
    }
    Number n = a instanceof Boolean x ? (Number) (x ? 1 : 0) : (Number) a;
    return switch (type) {
      case I32 -> n.intValue();
      case I64 -> n.longValue();
      case F32 -> n.floatValue();
      case F64 -> n.doubleValue();
      case BOOL, I8, U8, I16, U16, U32, U64, F16, BF16 -> throw new AssertionError(type);
    };
  }

  /** The bits of {@code a} as in {@link Node.Const}. */
  public static long bits(Object a) {
    return switch (a) {
      case Boolean x -> x ? 1 : 0;
      case Integer x -> x;
      case Long x -> x;
      case Float x -> Float.floatToRawIntBits(x) & 0xFFFFFFFFL;
      case Double x -> Double.doubleToRawLongBits(x);
      default -> throw new AssertionError(a.getClass());
    };
  }

  /** The value with these bits; see {@link Node.Const}. */
  public static Object value(ScalarType type, long bits) {
    return switch (type) {
      case BOOL -> bits != 0;
      case I32 -> (int) bits;
      case I64 -> bits;
      case F32 -> Float.intBitsToFloat((int) bits);
      case F64 -> Double.longBitsToDouble(bits);
      case I8, U8, I16, U16, U32, U64, F16, BF16 -> throw new AssertionError(type);
    };
  }

  private static Object bool(Op op, boolean a, boolean b) {
    return switch (op) {
      case NOT -> !a;
      case AND -> a & b;
      case OR -> a | b;
      case XOR, NE -> a ^ b;
      case EQ -> a == b;
      default -> throw new AssertionError(op);
    };
  }

  private static Object i32(Op op, int a, int b) {
    return switch (op) {
      case NEG -> -a;
      case ABS -> Math.abs(a);
      case SIGN -> Integer.signum(a);
      case BITNOT -> ~a;
      case ADD -> a + b;
      case SUB -> a - b;
      case MUL -> a * b;
      case DIV -> b == 0 ? 0 : a / b;
      case REM -> b == 0 ? 0 : a % b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case AND -> a & b;
      case OR -> a | b;
      case XOR -> a ^ b;
      case SHL -> a << b;
      case SHR -> a >> b;
      case USHR -> a >>> b;
      case MULHI -> (int) (Integer.toUnsignedLong(a) * Integer.toUnsignedLong(b) >>> 32);
      case LT -> a < b;
      case LE -> a <= b;
      case GT -> a > b;
      case GE -> a >= b;
      case EQ -> a == b;
      case NE -> a != b;
      default -> throw new AssertionError(op);
    };
  }

  private static Object i64(Op op, long a, long b) {
    return switch (op) {
      case NEG -> -a;
      case ABS -> Math.abs(a);
      case SIGN -> (long) Long.signum(a);
      case BITNOT -> ~a;
      case ADD -> a + b;
      case SUB -> a - b;
      case MUL -> a * b;
      case DIV -> b == 0 ? 0 : a / b;
      case REM -> b == 0 ? 0 : a % b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case AND -> a & b;
      case OR -> a | b;
      case XOR -> a ^ b;
      case SHL -> a << b;
      case SHR -> a >> b;
      case USHR -> a >>> b;
      case LT -> a < b;
      case LE -> a <= b;
      case GT -> a > b;
      case GE -> a >= b;
      case EQ -> a == b;
      case NE -> a != b;
      default -> throw new AssertionError(op);
    };
  }

  private static Object f32(Op op, float a, float b, float c) {
    return switch (op) {
      case ADD -> a + b;
      case SUB -> a - b;
      case MUL -> a * b;
      case DIV -> a / b;
      case REM -> a % b;
      case FMA -> Math.fma(a, b, c);
      default -> f64(op, a, b, c) instanceof Double d ? (Object) d.floatValue() : f64(op, a, b, c);
    };
  }

  private static Object f64(Op op, double a, double b, double c) {
    return switch (op) {
      case NEG -> -a;
      case ABS -> Math.abs(a);
      case SIGN -> Math.signum(a);
      case SQRT -> Math.sqrt(a);
      case CBRT -> Math.cbrt(a);
      case EXP -> Math.exp(a);
      case EXP2 -> Math.pow(2, a);
      case EXPM1 -> Math.expm1(a);
      case LOG -> Math.log(a);
      case LOG2 -> log2(a);
      case LOG10 -> Math.log10(a);
      case LOG1P -> Math.log1p(a);
      case SIN -> Math.sin(a);
      case COS -> Math.cos(a);
      case TAN -> Math.tan(a);
      case ASIN -> Math.asin(a);
      case ACOS -> Math.acos(a);
      case ATAN -> Math.atan(a);
      case SINH -> Math.sinh(a);
      case COSH -> Math.cosh(a);
      case TANH -> Math.tanh(a);
      case SIGMOID -> a > 0 ? 1 / (1 + Math.exp(-a)) : Math.exp(a) / (1 + Math.exp(a));
      case ASINH -> Math.copySign(asinh(Math.abs(a)), a);
      case ACOSH -> acosh(a);
      case ATANH -> Math.copySign(0.5 * Math.log1p(2 * Math.abs(a) / (1 - Math.abs(a))), a);
      case ERF -> erf(a);
      case ERFC -> Double.isNaN(a) ? Double.NaN : Erf.erfc(a);
      case FLOOR -> Math.floor(a);
      case CEIL -> Math.ceil(a);
      case TRUNC -> Math.copySign(Math.floor(Math.abs(a)), a);
      case RINT -> Math.rint(a);
      case ADD -> a + b;
      case SUB -> a - b;
      case MUL -> a * b;
      case DIV -> a / b;
      case REM -> a % b;
      case MIN -> Math.min(a, b);
      case MAX -> Math.max(a, b);
      case POW -> Math.pow(a, b);
      case ATAN2 -> Math.atan2(a, b);
      case HYPOT -> Math.hypot(a, b);
      case COPYSIGN -> Math.copySign(a, b);
      case FMA -> Math.fma(a, b, c);
      case LT -> a < b;
      case LE -> a <= b;
      case GT -> a > b;
      case GE -> a >= b;
      case EQ -> a == b;
      case NE -> a != b;
      default -> throw new AssertionError(op);
    };
  }

  private static double log2(double a) {
    int exponent = Math.getExponent(a);
    boolean power = exponent <= Double.MAX_EXPONENT && a == Math.scalb(1.0, exponent);
    return power ? exponent : Math.log(a) / Math.log(2);
  }

  private static double asinh(double a) {
    return a > 1e8 ? Math.log(a) + Math.log(2) : Math.log1p(a + a * a / (1 + Math.sqrt(a * a + 1)));
  }

  private static double acosh(double a) {
    double t = a - 1;
    return a > 1e8 ? Math.log(a) + Math.log(2) : Math.log1p(t + Math.sqrt(2 * t + t * t));
  }

  private static double erf(double a) {
    if (Double.isNaN(a)) {
      return a;
    }
    return Math.abs(a) < 1e-9 ? a * (2 / Math.sqrt(Math.PI)) : Erf.erf(a);
  }
}
