package ristretto.expr;

import ristretto.kernels.scalar.Op;

/**
 * Element-wise operations on one expression. Transcendental functions take floating point only
 * (NumPy casts integers implicitly) and are accurate to 2 ulp over their whole range, erfc of F64
 * to 3 ulp.
 */
abstract class UnaryOps {
  UnaryOps() {}

  /** e to the power of each element. */
  public static <T> Expr<T> exp(Expr<T> a) {
    return Apply.unary(Op.EXP, a);
  }

  /** 2 to the power of each element. */
  public static <T> Expr<T> exp2(Expr<T> a) {
    return Apply.unary(Op.EXP2, a);
  }

  /** {@code exp(a) - 1}, accurate near 0. */
  public static <T> Expr<T> expm1(Expr<T> a) {
    return Apply.unary(Op.EXPM1, a);
  }

  /** Natural logarithm; NaN below 0, -infinity at 0. */
  public static <T> Expr<T> log(Expr<T> a) {
    return Apply.unary(Op.LOG, a);
  }

  /** Logarithm to base 2. */
  public static <T> Expr<T> log2(Expr<T> a) {
    return Apply.unary(Op.LOG2, a);
  }

  /** Logarithm to base 10. */
  public static <T> Expr<T> log10(Expr<T> a) {
    return Apply.unary(Op.LOG10, a);
  }

  /** {@code log(1 + a)}, accurate near 0. */
  public static <T> Expr<T> log1p(Expr<T> a) {
    return Apply.unary(Op.LOG1P, a);
  }

  /** Square root, correctly rounded; NaN below 0. */
  public static <T> Expr<T> sqrt(Expr<T> a) {
    return Apply.unary(Op.SQRT, a);
  }

  /** Cube root. */
  public static <T> Expr<T> cbrt(Expr<T> a) {
    return Apply.unary(Op.CBRT, a);
  }

  /** Sine of radians. */
  public static <T> Expr<T> sin(Expr<T> a) {
    return Apply.unary(Op.SIN, a);
  }

  /** Cosine of radians. */
  public static <T> Expr<T> cos(Expr<T> a) {
    return Apply.unary(Op.COS, a);
  }

  /** Tangent of radians. */
  public static <T> Expr<T> tan(Expr<T> a) {
    return Apply.unary(Op.TAN, a);
  }

  /** Inverse sine in radians; NaN outside [-1, 1]. */
  public static <T> Expr<T> asin(Expr<T> a) {
    return Apply.unary(Op.ASIN, a);
  }

  /** Inverse cosine in radians; NaN outside [-1, 1]. */
  public static <T> Expr<T> acos(Expr<T> a) {
    return Apply.unary(Op.ACOS, a);
  }

  /** Inverse tangent in radians. */
  public static <T> Expr<T> atan(Expr<T> a) {
    return Apply.unary(Op.ATAN, a);
  }

  /** Hyperbolic sine. */
  public static <T> Expr<T> sinh(Expr<T> a) {
    return Apply.unary(Op.SINH, a);
  }

  /** Hyperbolic cosine. */
  public static <T> Expr<T> cosh(Expr<T> a) {
    return Apply.unary(Op.COSH, a);
  }

  /** Hyperbolic tangent. */
  public static <T> Expr<T> tanh(Expr<T> a) {
    return Apply.unary(Op.TANH, a);
  }

  /** Inverse hyperbolic sine. */
  public static <T> Expr<T> asinh(Expr<T> a) {
    return Apply.unary(Op.ASINH, a);
  }

  /** Inverse hyperbolic cosine. */
  public static <T> Expr<T> acosh(Expr<T> a) {
    return Apply.unary(Op.ACOSH, a);
  }

  /** Inverse hyperbolic tangent. */
  public static <T> Expr<T> atanh(Expr<T> a) {
    return Apply.unary(Op.ATANH, a);
  }

  /** Error function. */
  public static <T> Expr<T> erf(Expr<T> a) {
    return Apply.unary(Op.ERF, a);
  }

  /** {@code 1 - erf(a)}, accurate for large a. */
  public static <T> Expr<T> erfc(Expr<T> a) {
    return Apply.unary(Op.ERFC, a);
  }

  /** Element-wise negation; see {@link Expr#neg}. */
  public static <T> Expr<T> neg(Expr<T> a) {
    return Apply.unary(Op.NEG, a);
  }

  /** Sign: -1, 0 or 1; NaN stays. A zero keeps its sign, unlike NumPy's. */
  public static <T> Expr<T> sign(Expr<T> a) {
    return Apply.unary(Op.SIGN, a);
  }

  /** Magnitude; the lowest integer wraps to itself. */
  public static <T> Expr<T> abs(Expr<T> a) {
    return Apply.unary(Op.ABS, a);
  }

  /** Rounds down to an integer. Integers stay. */
  public static <T> Expr<T> floor(Expr<T> a) {
    return a.dtype().isInteger() ? a : Apply.unary(Op.FLOOR, a);
  }

  /** Rounds up to an integer. Integers stay. */
  public static <T> Expr<T> ceil(Expr<T> a) {
    return a.dtype().isInteger() ? a : Apply.unary(Op.CEIL, a);
  }

  /** Rounds towards zero. Integers stay. */
  public static <T> Expr<T> trunc(Expr<T> a) {
    return a.dtype().isInteger() ? a : Apply.unary(Op.TRUNC, a);
  }

  /** Rounds to the nearest integer, ties to even (NumPy's round). Integers stay. */
  public static <T> Expr<T> rint(Expr<T> a) {
    return a.dtype().isInteger() ? a : Apply.unary(Op.RINT, a);
  }

  /** Rounds to the nearest integer, ties to even; an alias of {@link #rint}. */
  public static <T> Expr<T> round(Expr<T> a) {
    return rint(a);
  }

  /** Square: {@code a * a}. */
  public static <T> Expr<T> square(Expr<T> a) {
    return a.times(a);
  }

  /** Reciprocal square root: {@code 1 / sqrt(a)}. */
  public static <T> Expr<T> rsqrt(Expr<T> a) {
    return literal(a, 1).div(sqrt(a));
  }

  /** Reciprocal: {@code 1 / a}; 0 for integers other than 1 and -1. */
  public static <T> Expr<T> reciprocal(Expr<T> a) {
    return literal(a, 1).div(a);
  }

  /** Logical not of BOOL, bitwise of integers. */
  public static <T> Expr<T> not(Expr<T> a) {
    return a.not();
  }

  /** True where an element is NaN; false for integers and BOOL. */
  public static <T> Expr<BOOL> isNaN(Expr<T> a) {
    return a.ne(a);
  }

  /** True where an element is neither NaN nor infinite; true for integers and BOOL. */
  public static <T> Expr<BOOL> isFinite(Expr<T> a) {
    return a.dtype().isFloat() ? abs(a).lt(literal(a, Double.POSITIVE_INFINITY)) : a.eq(a);
  }

  /** True where an element is an infinity of either sign; false for integers and BOOL. */
  public static <T> Expr<BOOL> isInf(Expr<T> a) {
    return a.dtype().isFloat() ? abs(a).eq(literal(a, Double.POSITIVE_INFINITY)) : a.ne(a);
  }

  /** Converts degrees to radians; floating point only. */
  public static <T> Expr<T> toRadians(Expr<T> a) {
    ReductionOps.requireFloat("toRadians", a);
    return a.times(literal(a, Math.PI / 180));
  }

  /** Converts radians to degrees; floating point only. */
  public static <T> Expr<T> toDegrees(Expr<T> a) {
    ReductionOps.requireFloat("toDegrees", a);
    return a.times(literal(a, 180 / Math.PI));
  }

  /** True where the sign bit is set, including -0 and NaN. */
  public static <T> Expr<BOOL> signBit(Expr<T> a) {
    Expr<T> zero = literal(a, 0);
    return a.dtype().isFloat() ? Apply.binary(Op.COPYSIGN, literal(a, 1), a).lt(zero) : a.lt(zero);
  }

  /** Normalized sinc: {@code sin(pi a) / (pi a)}, and 1 at 0. */
  public static <T> Expr<T> sinc(Expr<T> a) {
    Expr<T> angle = a.times(literal(a, Math.PI));
    return Apply.select(a.eq(literal(a, 0)), literal(a, 1), sin(angle).div(angle));
  }

  /** Replaces NaN by 0 and infinities by the largest numbers of the dtype. Integers stay. */
  public static <T> Expr<T> nanToNum(Expr<T> a) {
    if (a.dtype().isInteger()) {
      return a;
    }
    double largest =
        switch (a.dtype()) {
          case F64 _ -> Double.MAX_VALUE;
          case F16 _ -> 65504;
          case BF16 _ -> Float.intBitsToFloat(0x7F7F0000);
          default -> Float.MAX_VALUE;
        };
    Expr<T> finite =
        Apply.binary(Op.MIN, Apply.binary(Op.MAX, a, literal(a, -largest)), literal(a, largest));
    return Apply.select(isNaN(a), literal(a, 0), finite);
  }

  /** Constant of a formula, compiled into the kernel. */
  static <T> Expr<T> literal(Expr<T> like, double value) {
    return Scalars.literal(like.dtype(), value);
  }
}
