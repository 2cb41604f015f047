package ristretto.expr;

import ristretto.expr.type.BF16;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F16;
import ristretto.expr.type.F64;
import ristretto.kernels.scalar.Op;

/**
 * Element-wise operations and activation functions. Transcendental functions take floating point
 * only (NumPy casts integers implicitly) and are accurate to 2 ulp over their whole range, erfc of
 * F64 to 3 ulp.
 *
 * @hidden its operations are documented as those of {@link Ops}
 */
public abstract class ElementwiseOps {
  ElementwiseOps() {}

  // Of one expression

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
    return Apply.isFinite(a);
  }

  /** True where an element is an infinity of either sign; false for integers and BOOL. */
  public static <T> Expr<BOOL> isInf(Expr<T> a) {
    return Apply.isInfinite(a);
  }

  /** Converts degrees to radians; floating point only. */
  public static <T> Expr<T> toRadians(Expr<T> a) {
    Apply.requireFloat("toRadians", a);
    return a.times(literal(a, Math.PI / 180));
  }

  /** Converts radians to degrees; floating point only. */
  public static <T> Expr<T> toDegrees(Expr<T> a) {
    Apply.requireFloat("toDegrees", a);
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

  // Of several expressions

  /** Element-wise sum; see {@link Expr#plus(Expr)}. */
  public static <T> Expr<T> add(Expr<T> a, Expr<T> b) {
    return Apply.binary(Op.ADD, a, b);
  }

  /** Element-wise sum with a number, which takes the dtype of a. */
  public static <T> Expr<T> add(Expr<T> a, double b) {
    return a.plus(b);
  }

  /** Element-wise sum with a number, which takes the dtype of a. */
  public static <T> Expr<T> add(Expr<T> a, long b) {
    return a.plus(b);
  }

  /** Element-wise sum with a number, which takes the dtype of b. */
  public static <T> Expr<T> add(double a, Expr<T> b) {
    return b.plus(a);
  }

  /** Element-wise difference; see {@link Expr#minus(Expr)}. */
  public static <T> Expr<T> sub(Expr<T> a, Expr<T> b) {
    return Apply.binary(Op.SUB, a, b);
  }

  /** Element-wise difference with a number, which takes the dtype of a. */
  public static <T> Expr<T> sub(Expr<T> a, double b) {
    return a.minus(b);
  }

  /** Element-wise difference with a number, which takes the dtype of a. */
  public static <T> Expr<T> sub(Expr<T> a, long b) {
    return a.minus(b);
  }

  /** Element-wise difference with a number, which takes the dtype of b. */
  public static <T> Expr<T> sub(double a, Expr<T> b) {
    return Apply.binary(Op.SUB, b.number(a), b);
  }

  /** Element-wise product; see {@link Expr#times(Expr)}. */
  public static <T> Expr<T> mul(Expr<T> a, Expr<T> b) {
    return Apply.binary(Op.MUL, a, b);
  }

  /** Element-wise product with a number, which takes the dtype of a. */
  public static <T> Expr<T> mul(Expr<T> a, double b) {
    return a.times(b);
  }

  /** Element-wise product with a number, which takes the dtype of a. */
  public static <T> Expr<T> mul(Expr<T> a, long b) {
    return a.times(b);
  }

  /** Element-wise product with a number, which takes the dtype of b. */
  public static <T> Expr<T> mul(double a, Expr<T> b) {
    return b.times(a);
  }

  /**
   * Element-wise quotient; integers truncate and give 0 for a divisor of 0. See {@link
   * Expr#div(Expr)}.
   */
  public static <T> Expr<T> div(Expr<T> a, Expr<T> b) {
    return Apply.binary(Op.DIV, a, b);
  }

  /** Element-wise quotient with a number, which takes the dtype of a. */
  public static <T> Expr<T> div(Expr<T> a, double b) {
    return a.div(b);
  }

  /** Element-wise quotient with a number, which takes the dtype of a. */
  public static <T> Expr<T> div(Expr<T> a, long b) {
    return a.div(b);
  }

  /** Element-wise quotient with a number, which takes the dtype of b. */
  public static <T> Expr<T> div(double a, Expr<T> b) {
    return Apply.binary(Op.DIV, b.number(a), b);
  }

  /** Angle in radians of the point (b, a), where b is the x coordinate. */
  public static <T> Expr<T> atan2(Expr<T> a, Expr<T> b) {
    return Apply.binary(Op.ATAN2, a, b);
  }

  /** {@code sqrt(a*a + b*b)} without overflow. */
  public static <T> Expr<T> hypot(Expr<T> a, Expr<T> b) {
    return Apply.binary(Op.HYPOT, a, b);
  }

  /** Magnitude of a with the sign of b. */
  public static <T> Expr<T> copySign(Expr<T> a, Expr<T> b) {
    return Apply.binary(Op.COPYSIGN, a, b);
  }

  /** Element-wise minimum; NaN if either is NaN, and -0 is below 0. */
  public static <T> Expr<T> min(Expr<T> a, Expr<T> b) {
    return Apply.binary(Op.MIN, a, b);
  }

  /** Element-wise minimum with a number; NaN stays. */
  public static <T> Expr<T> min(Expr<T> a, float b) {
    return min(a, a.number(b));
  }

  /** Element-wise minimum with a number; NaN stays. An int argument would be an axis. */
  public static <T> Expr<T> min(Expr<T> a, double b) {
    return min(a, a.number(b));
  }

  /** Element-wise maximum; NaN if either is NaN, and -0 is below 0. */
  public static <T> Expr<T> max(Expr<T> a, Expr<T> b) {
    return Apply.binary(Op.MAX, a, b);
  }

  /** Element-wise maximum with a number; NaN stays. */
  public static <T> Expr<T> max(Expr<T> a, float b) {
    return max(a, a.number(b));
  }

  /** Element-wise maximum with a number; NaN stays. An int argument would be an axis. */
  public static <T> Expr<T> max(Expr<T> a, double b) {
    return max(a, a.number(b));
  }

  /** Element-wise minimum that ignores NaN; NaN only if both are NaN. */
  public static <T> Expr<T> fmin(Expr<T> a, Expr<T> b) {
    return where(isNaN(a), b, where(isNaN(b), a, min(a, b)));
  }

  /** Element-wise maximum that ignores NaN; NaN only if both are NaN. */
  public static <T> Expr<T> fmax(Expr<T> a, Expr<T> b) {
    return where(isNaN(a), b, where(isNaN(b), a, max(a, b)));
  }

  /** 0 where a is negative, 1 where it is positive, b where it is 0; NaN stays. */
  public static <T> Expr<T> heaviside(Expr<T> a, Expr<T> b) {
    Expr<T> zero = literal(a, 0);
    Expr<T> step = where(a.gt(zero), literal(a, 1), where(a.eq(zero), b, zero));
    return where(isNaN(a), a, step);
  }

  /** {@code a * b + c} with one rounding; floating point only. */
  public static <T> Expr<T> fma(Expr<T> a, Expr<T> b, Expr<T> c) {
    return Apply.fma(a, b, c);
  }

  /**
   * Element-wise {@code condition ? a : b}; all three operands broadcast, and both branches are
   * computed.
   */
  public static <T> Expr<T> where(Expr<BOOL> condition, Expr<T> a, Expr<T> b) {
    return Apply.select(condition, a, b);
  }

  /** Element-wise {@code condition ? a : b} with a number for {@code b}. */
  public static <T> Expr<T> where(Expr<BOOL> condition, Expr<T> a, double b) {
    return where(condition, a, a.number(b));
  }

  /** Element-wise {@code condition ? a : b} with a number for {@code a}. */
  public static <T> Expr<T> where(Expr<BOOL> condition, double a, Expr<T> b) {
    return where(condition, b.number(a), b);
  }

  /** Limits elements to [low, high]; NaN stays. */
  public static <T> Expr<T> clamp(Expr<T> a, double low, double high) {
    return clamp(a, a.number(low), a.number(high));
  }

  /**
   * Limits elements to [low, high]: {@code min(max(a, low), high)}. NaN stays; where low is above
   * high the result is high.
   */
  public static <T> Expr<T> clamp(Expr<T> a, Expr<T> low, Expr<T> high) {
    return min(max(a, low), high);
  }

  /**
   * Element-wise power. Floats follow C and NumPy: 1 to any power is 1, even to NaN, and so is -1
   * to an infinity; all else is {@link Math#pow}. Integers are raised by squaring and wrap;
   * negative exponents give 0 except for bases 1 and -1.
   */
  public static <T> Expr<T> pow(Expr<T> a, Expr<T> b) {
    return Apply.power(a, b);
  }

  /**
   * Raises each element to a power; see {@link #pow(Expr, Expr)}. Exponents 2 and 3 become
   * products, -1 a reciprocal.
   */
  public static <T> Expr<T> pow(Expr<T> a, double b) {
    return Apply.power(a, b);
  }

  /**
   * Element-wise remainder with the sign of the divisor, NumPy's %; integers give 0 for a divisor
   * of 0.
   */
  public static <T> Expr<T> floorMod(Expr<T> a, Expr<T> b) {
    Expr<T> r = a.rem(b);
    Expr<T> zero = literal(a, 0);
    Expr<T> signed = a.dtype().isFloat() ? where(r.eq(zero), copySign(zero, b), r) : r;
    return where(r.ne(zero).and(r.lt(zero).ne(b.lt(zero))), r.plus(b), signed);
  }

  /** Remainder of each element by a number, with the sign of the number, NumPy's %. */
  public static <T> Expr<T> floorMod(Expr<T> a, double b) {
    return floorMod(a, a.number(b));
  }

  /**
   * Element-wise quotient rounded down, NumPy's //. For a divisor of 0, integers give 0 and floats
   * an infinity or NaN, as division does. A finite number by an infinity is 0 or -1; an infinity by
   * any divisor but 0 is NaN.
   */
  public static <T> Expr<T> floorDiv(Expr<T> a, Expr<T> b) {
    if (a.dtype().isFloat()) {
      return floatFloorDiv(a, b);
    }
    Expr<T> r = a.rem(b);
    Expr<T> zero = literal(a, 0);
    return a.div(b).minus(r.ne(zero).and(r.lt(zero).ne(b.lt(zero))).cast(a.dtype()));
  }

  /**
   * Floor division like NumPy's: subtracts the exact remainder first, so that the quotient is
   * nearly whole.
   */
  private static <T> Expr<T> floatFloorDiv(Expr<T> a, Expr<T> b) {
    Expr<T> zero = literal(a, 0);
    Expr<T> r = a.rem(b);
    Expr<BOOL> below = r.ne(zero).and(r.lt(zero).ne(b.lt(zero)));
    Expr<T> nearly = a.minus(r).div(b);
    Expr<T> whole = rint(where(below, nearly.minus(literal(a, 1)), nearly));
    Expr<T> exact = trunc(a.div(b));
    return where(b.eq(zero), exact, where(whole.eq(zero), copySign(zero, exact), whole));
  }

  /** Quotient of each element by a number, rounded down, NumPy's //. */
  public static <T> Expr<T> floorDiv(Expr<T> a, double b) {
    return floorDiv(a, a.number(b));
  }

  /** Element-wise {@code log(exp(a) + exp(b))} without overflow. */
  public static <T> Expr<T> logAddExp(Expr<T> a, Expr<T> b) {
    Expr<T> high = max(a, b);
    Expr<T> gap = abs(a.minus(b));
    return where(isNaN(gap), high, high.plus(log1p(exp(gap.neg()))));
  }

  /** Element-wise {@code log2(2^a + 2^b)} without overflow. */
  public static <T> Expr<T> logAddExp2(Expr<T> a, Expr<T> b) {
    Expr<T> high = max(a, b);
    Expr<T> gap = abs(a.minus(b));
    Expr<T> rest = log1p(exp2(gap.neg())).times(literal(a, 1 / Math.log(2)));
    return where(isNaN(gap), high, high.plus(rest));
  }

  /**
   * True where {@code |a - b| <= atol + rtol * |b|}, or both are the same infinity; false for NaN.
   * NumPy's defaults are 1e-5 and 1e-8. Floating point only.
   */
  public static <T> Expr<BOOL> isClose(Expr<T> a, Expr<T> b, double rtol, double atol) {
    Apply.requireFloat("isClose", a);
    Scalars.requirePositiveOrZero("isClose", "rtol", rtol);
    Scalars.requirePositiveOrZero("isClose", "atol", atol);
    return abs(a.minus(b)).le(abs(b).times(rtol).plus(a.number(atol))).or(a.eq(b));
  }

  // Activations

  /** Logistic sigmoid: {@code 1 / (1 + exp(-a))}. */
  public static <T> Expr<T> sigmoid(Expr<T> a) {
    return Apply.sigmoid(a);
  }

  /** Rectified linear unit: {@code max(a, 0)}; NaN stays. */
  public static <T> Expr<T> relu(Expr<T> a) {
    return max(a, literal(a, 0));
  }

  /** Leaky ReLU: {@code a > 0 ? a : slope * a}. */
  public static <T> Expr<T> leakyRelu(Expr<T> a, double slope) {
    return where(a.gt(literal(a, 0)), a, a.times(slope));
  }

  /** Exponential linear unit: {@code a > 0 ? a : exp(a) - 1}. */
  public static <T> Expr<T> elu(Expr<T> a) {
    Expr<T> zero = literal(a, 0);
    return where(a.gt(zero), a, expm1(min(a, zero)));
  }

  /**
   * GELU {@code a * Phi(a)} in its tanh approximation: {@code 0.5 a (1 + tanh(sqrt(2/pi) (a +
   * 0.044715 a^3)))}, computed as the equivalent {@code a * sigmoid(2 sqrt(2/pi) (a + 0.044715
   * a^3))}, which is accurate for negative elements.
   */
  public static <T> Expr<T> gelu(Expr<T> a) {
    Expr<T> inner = a.plus(a.times(a).times(a).times(literal(a, 0.044715)));
    return a.times(sigmoid(inner.times(literal(a, 2 * Math.sqrt(2 / Math.PI)))));
  }

  /**
   * Exact GELU {@code a * Phi(a)} by the complementary error function, accurate for negative
   * elements.
   */
  public static <T> Expr<T> geluErf(Expr<T> a) {
    Expr<T> twice = erfc(a.times(literal(a, -Math.sqrt(0.5))));
    return a.times(literal(a, 0.5)).times(twice);
  }

  /** SiLU (swish): {@code a * sigmoid(a)}. */
  public static <T> Expr<T> silu(Expr<T> a) {
    return a.times(sigmoid(a));
  }

  /** Softplus: {@code log(1 + exp(a))} without overflow. */
  public static <T> Expr<T> softplus(Expr<T> a) {
    return Apply.softplus(a);
  }

  /** Constant of a formula, compiled into the kernel. */
  static <T> Expr<T> literal(Expr<T> like, double value) {
    return Scalars.literal(like.dtype(), value);
  }
}
