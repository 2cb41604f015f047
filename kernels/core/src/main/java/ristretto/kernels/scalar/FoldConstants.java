package ristretto.kernels.scalar;

/**
 * Evaluates one operation on constants. Intermediate results are doubles where that rounds only
 * once, so folding never changes a result.
 */
final class FoldConstants {
  private FoldConstants() {}

  /** Returns the folded constant, or null if the kernel is to compute the operation. */
  static Node.Const apply(Op op, ScalarType type, Node.Const a, Node.Const b, Node.Const c) {
    if (op == Op.ERF || op == Op.ERFC) {
      return null;
    }
    if (op == Op.CONVERT) {
      return convert(a, type);
    }
    if (op == Op.BITCAST) {
      return new Node.Const(
          type,
          type == ScalarType.I32
              ? (int) a.bits()
              : type == ScalarType.F32 ? a.bits() & 0xFFFFFFFFL : a.bits());
    }
    if (op == Op.SELECT) {
      return a.bits() != 0 ? b : c;
    }
    if (op.kind() == Op.Kind.COMPARE) {
      return bool(compare(op.relation(), a, b));
    }
    return switch (a.type()) {
      case BOOL ->
          op == Op.NOT
              ? bool(a.bits() == 0)
              : new Node.Const(type, integer(op, false, a.bits(), b.bits()));
      case I32 ->
          new Node.Const(
              type, (int) integer(op, true, (int) a.bits(), b == null ? 0 : (int) b.bits()));
      case I64 -> new Node.Const(type, integer(op, false, a.bits(), b == null ? 0 : b.bits()));
      case F32, F64 -> {
        if (op == Op.FMA) {
          yield type == ScalarType.F32
              ? Node.Const.of(type, Math.fma(a.asFloat(), b.asFloat(), c.asFloat()))
              : Node.Const.of(type, Math.fma(a.asDouble(), b.asDouble(), c.asDouble()));
        }
        yield Node.Const.of(type, floating(op, a.asDouble(), b == null ? 0 : b.asDouble()));
      }
      case F16, BF16, I8, U8, I16, U16, U32, U64 -> null;
    };
  }

  private static Node.Const bool(boolean v) {
    return new Node.Const(ScalarType.BOOL, v ? 1 : 0);
  }

  private static Node.Const convert(Node.Const a, ScalarType to) {
    boolean integer = !a.type().isFloat();
    return switch (to) {
      case BOOL -> bool(integer ? a.bits() != 0 : a.asDouble() != 0);
      case I32 -> new Node.Const(to, integer ? (int) a.bits() : (int) a.asDouble());
      case I64 -> new Node.Const(to, integer ? a.bits() : (long) a.asDouble());
      case F32 -> Node.Const.of(to, integer ? (float) a.bits() : a.asDouble());
      case F64 -> Node.Const.of(to, integer ? (double) a.bits() : a.asDouble());
      case F16, BF16, I8, U8, I16, U16, U32, U64 -> null;
    };
  }

  private static boolean compare(Op.Relation relation, Node.Const a, Node.Const b) {
    if (a.type().isFloat()) {
      double x = a.asDouble();
      double y = b.asDouble();
      return relation.holds(x < y, x == y, x > y);
    }
    return relation.holds(a.bits() < b.bits(), a.bits() == b.bits(), a.bits() > b.bits());
  }

  /**
   * Evaluates an integer operation. Computing I32 in long arithmetic and narrowing the result is
   * exact for all operations but shifts, which are computed in int.
   */
  private static long integer(Op op, boolean narrow, long a, long b) {
    return switch (op) {
      case NEG -> -a;
      case ABS -> Math.abs(a);
      case SIGN -> Long.signum(a);
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
      case SHL -> narrow ? (int) a << (int) b : a << b;
      case SHR -> narrow ? (int) a >> (int) b : a >> b;
      case USHR -> narrow ? (int) a >>> (int) b : a >>> b;
      case MULHI -> ((a & 0xFFFFFFFFL) * (b & 0xFFFFFFFFL)) >>> 32;
      case SQRT, CBRT, EXP, EXP2, EXPM1, LOG, LOG2, LOG10, LOG1P -> throw new AssertionError(op);
      case SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, SINH, COSH, TANH -> throw new AssertionError(op);
      case SIGMOID, ASINH, ACOSH, ATANH, ERF, ERFC, POW, HYPOT -> throw new AssertionError(op);
      case FLOOR, CEIL, TRUNC, RINT, COPYSIGN, FMA -> throw new AssertionError(op);
      case NOT, LT, LE, GT, GE, EQ, NE, SELECT, CONVERT, BITCAST -> throw new AssertionError(op);
    };
  }

  private static double floating(Op op, double a, double b) {
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
      case FLOOR -> Math.floor(a);
      case CEIL -> Math.ceil(a);
      case TRUNC -> a < 0 ? Math.ceil(a) : Math.floor(a);
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
      case ERF, ERFC, FMA, SELECT, CONVERT, BITCAST -> throw new AssertionError(op);
      case BITNOT, NOT, AND, OR, XOR, SHL, SHR, USHR, MULHI -> throw new AssertionError(op);
      case LT, LE, GT, GE, EQ, NE -> throw new AssertionError(op);
    };
  }

  /** Base-2 logarithm, exact for powers of two. */
  private static double log2(double a) {
    int exponent = Math.getExponent(a);
    boolean power = exponent <= Double.MAX_EXPONENT && Math.scalb(1.0, exponent) == a;
    return power ? exponent : Math.log(a) / Math.log(2);
  }

  /**
   * Inverse hyperbolic sine for {@code a >= 0}; small and huge arguments keep their relative
   * precision.
   */
  private static double asinh(double a) {
    if (a > 1e8) {
      return Math.log(a) + Math.log(2);
    }
    return Math.log1p(a + a * a / (1 + Math.sqrt(a * a + 1)));
  }

  private static double acosh(double a) {
    double t = a - 1;
    return a > 1e8 ? Math.log(a) + Math.log(2) : Math.log1p(t + Math.sqrt(2 * t + t * t));
  }
}
