package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.special.BesselFunction;
import ristretto.expr.special.BetaFunction;
import ristretto.expr.special.ErrorFunction;
import ristretto.expr.special.GammaFunction;
import ristretto.expr.special.IncompleteGamma;
import ristretto.expr.special.ZetaFunction;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;
import ristretto.kernels.lambda.DoubleLambda;
import ristretto.kernels.lambda.Lambda;

/**
 * Special functions of mathematics, element-wise, for floating point. All compute in F64 inside the
 * kernel and round to the dtype of their operands, so that results of F32 are within 0.51 ulp of
 * the exact ones wherever the accuracy stated for F64 is below 1e7 ulp. Errors that are stated as
 * absolute ones are relative to the magnitude of the result where that is above 1.
 *
 * @hidden its operations are documented as those of {@link Ops}
 */
public abstract class SpecialOps extends ElementwiseOps {
  SpecialOps() {}

  // Gamma function and related functions

  /**
   * Logarithm of the magnitude of the gamma function, SciPy's gammaln: within 5 ulp for positive
   * elements, with an absolute error of 4e-16 for negative ones; infinity at 0 and at negative
   * whole numbers.
   */
  public static <T> Expr<T> lgamma(Expr<T> a) {
    DoubleLambda.ToDouble1 f = GammaFunction::lgamma;
    return function("lgamma", f, (x, _) -> digamma(x.get(0)), List.of(a));
  }

  /** Gamma function, within 6 ulp, exact for whole numbers up to 23; NaN at negative ones. */
  public static <T> Expr<T> gamma(Expr<T> a) {
    DoubleLambda.ToDouble1 f = GammaFunction::gamma;
    return function("gamma", f, (x, _) -> gamma(x.get(0)).times(digamma(x.get(0))), List.of(a));
  }

  /**
   * Derivative of {@link #lgamma}, SciPy's psi: within 4 ulp for positive elements, with an
   * absolute error of 2e-15 for negative ones; NaN at negative whole numbers, an infinity at 0.
   */
  public static <T> Expr<T> digamma(Expr<T> a) {
    DoubleLambda.ToDouble1 f = GammaFunction::digamma;
    return function("digamma", f, (x, _) -> zeta(literal(x.get(0), 2), x.get(0)), List.of(a));
  }

  /**
   * Derivative n of {@link #digamma}, {@code (-1)^(n+1) n! zeta(n + 1, a)}: within 1e-14.
   *
   * @param n order of the derivative, from 0 to 100
   */
  public static <T> Expr<T> polygamma(int n, Expr<T> a) {
    if (n < 0 || n > 100) {
      throw new ShapeException(
          "[polygamma] the order must be from 0 to 100; got "
              + n
              + "; 1 is the trigamma function.");
    }
    if (n == 0) {
      return digamma(a);
    }
    double factorial = 1;
    for (int k = 2; k <= n; k++) {
      factorial *= k;
    }
    return zeta(literal(a, n + 1), a).times(literal(a, n % 2 == 0 ? -factorial : factorial));
  }

  /** Logarithm of the beta function of positive numbers, SciPy's betaln: within 1e-15 + 4 ulp. */
  public static <T> Expr<T> logBeta(Expr<T> a, Expr<T> b) {
    DoubleLambda.ToDouble2 f = BetaFunction::logBeta;
    return function(
        "logBeta",
        f,
        (x, k) -> digamma(x.get(k)).minus(digamma(x.get(0).plus(x.get(1)))),
        List.of(a, b));
  }

  /**
   * Regularized lower incomplete gamma function P(a, x), the distribution function of the gamma
   * distribution, for a and x of at least 0, otherwise NaN: relative error below 1e-13 times the
   * magnitude of the result's logarithm. The number of iterations grows as the root of {@code a};
   * for x near {@code a} above 1e8 the result is NaN.
   */
  public static <T> Expr<T> gammainc(Expr<T> a, Expr<T> x) {
    DoubleLambda.ToDouble2 f = IncompleteGamma::lower;
    return function(
        "gammainc", f, (v, k) -> k == 0 ? null : gammaDensity(v.get(0), v.get(1)), List.of(a, x));
  }

  /** Regularized lower incomplete gamma function P(a, x) for a number {@code a}. */
  public static <T> Expr<T> gammainc(double a, Expr<T> x) {
    return gammainc(x.number(a), x);
  }

  /**
   * Regularized upper incomplete gamma function {@code Q(a, x) = 1 - P(a, x)}, accurate where P is
   * near 1; see {@link #gammainc(Expr, Expr)}.
   */
  public static <T> Expr<T> gammaincc(Expr<T> a, Expr<T> x) {
    DoubleLambda.ToDouble2 f = IncompleteGamma::upper;
    return function(
        "gammaincc",
        f,
        (v, k) -> k == 0 ? null : gammaDensity(v.get(0), v.get(1)).neg(),
        List.of(a, x));
  }

  /** Regularized upper incomplete gamma function Q(a, x) for a number {@code a}. */
  public static <T> Expr<T> gammaincc(double a, Expr<T> x) {
    return gammaincc(x.number(a), x);
  }

  private static <T> Expr<T> gammaDensity(Expr<T> a, Expr<T> x) {
    DoubleLambda.ToDouble2 f = IncompleteGamma::density;
    Derivative<T> slope =
        (v, k) ->
            k == 0
                ? null
                : gammaDensity(v.get(0), v.get(1)).times(v.get(0).minus(1).div(v.get(1)).minus(1));
    return function("gammainc", f, slope, List.of(a, x));
  }

  /**
   * Regularized incomplete beta function I_x(a, b), the distribution function of the beta
   * distribution, for a and b of at least 0 and x in [0, 1], otherwise NaN: relative error below
   * 1e-13 times the magnitude of the result's logarithm. The number of iterations grows as the root
   * of the larger parameter; above 1e8 the result may be NaN.
   */
  public static <T> Expr<T> betainc(Expr<T> a, Expr<T> b, Expr<T> x) {
    DoubleLambda.ToDouble3 f = BetaFunction::incomplete;
    Derivative<T> slope = (v, k) -> k < 2 ? null : betaDensity(v.get(0), v.get(1), v.get(2));
    return function("betainc", f, slope, List.of(a, b, x));
  }

  /** Regularized incomplete beta function I_x(a, b) for numbers a and b. */
  public static <T> Expr<T> betainc(double a, double b, Expr<T> x) {
    return betainc(x.number(a), x.number(b), x);
  }

  private static <T> Expr<T> betaDensity(Expr<T> a, Expr<T> b, Expr<T> x) {
    DoubleLambda.ToDouble3 f = BetaFunction::density;
    Derivative<T> slope =
        (v, k) -> {
          Expr<T> z = v.get(2);
          Expr<T> below = v.get(0).minus(1).div(z);
          Expr<T> above = v.get(1).minus(1).div(literal(z, 1).minus(z));
          return k < 2 ? null : betaDensity(v.get(0), v.get(1), z).times(below.minus(above));
        };
    return function("betainc", f, slope, List.of(a, b, x));
  }

  /**
   * Riemann zeta function: within 1e-15, for elements below -10 within 1e-13; infinity at 1.
   * Derivatives are those of its formula.
   */
  public static <T> Expr<T> zeta(Expr<T> s) {
    DoubleLambda.ToDouble1 f = ZetaFunction::riemann;
    return function("zeta", f, (_, _) -> null, List.of(s));
  }

  /**
   * Hurwitz zeta function, the sum of {@code (q + k)^-s} over k from 0: within 1e-14; infinity for
   * s of 1 and for q of 0 or a negative whole number, NaN for s below 1, and for other negative q
   * unless s is whole.
   */
  public static <T> Expr<T> zeta(Expr<T> s, Expr<T> q) {
    DoubleLambda.ToDouble2 f = ZetaFunction::hurwitz;
    Derivative<T> slope =
        (x, k) -> k == 0 ? null : zeta(x.get(0).plus(1), x.get(1)).times(x.get(0)).neg();
    return function("zeta", f, slope, List.of(s, q));
  }

  // Error function and normal distribution

  /** Inverse of {@link #erf}, within 4 ulp; infinite at -1 and 1, NaN outside. */
  public static <T> Expr<T> erfinv(Expr<T> a) {
    DoubleLambda.ToDouble1 f = ErrorFunction::erfinv;
    Derivative<T> slope = (x, _) -> inverseSlope(erfinv(x.get(0)));
    return function("erfinv", f, slope, List.of(a));
  }

  /** Inverse of {@link #erfc}, within 4 ulp; infinite at 0 and 2, NaN outside. */
  public static <T> Expr<T> erfcinv(Expr<T> a) {
    DoubleLambda.ToDouble1 f = ErrorFunction::erfcinv;
    return function("erfcinv", f, (x, _) -> inverseSlope(erfcinv(x.get(0))).neg(), List.of(a));
  }

  private static <T> Expr<T> inverseSlope(Expr<T> y) {
    return exp(y.times(y)).times(literal(y, Math.sqrt(Math.PI) / 2));
  }

  /**
   * Scaled complementary error function {@code exp(a^2) erfc(a)}, within 4 ulp; infinity below
   * -26.7.
   */
  public static <T> Expr<T> erfcx(Expr<T> a) {
    DoubleLambda.ToDouble1 f = ErrorFunction::erfcx;
    return function("erfcx", f, (x, _) -> erfcxSlope(x.get(0)), List.of(a));
  }

  private static <T> Expr<T> erfcxSlope(Expr<T> a) {
    DoubleLambda.ToDouble1 f = ErrorFunction::erfcxSlope;
    Derivative<T> slope =
        (x, _) -> erfcx(x.get(0)).plus(x.get(0).times(erfcxSlope(x.get(0)))).times(2);
    return function("erfcx", f, slope, List.of(a));
  }

  /** Distribution function of the standard normal distribution, accurate for negative elements. */
  public static <T> Expr<T> ndtr(Expr<T> a) {
    return erfc(a.times(literal(a, -Math.sqrt(0.5)))).times(literal(a, 0.5));
  }

  /**
   * Quantile of the standard normal distribution, the inverse of {@link #ndtr}; infinite at 0 and
   * 1, NaN outside.
   */
  public static <T> Expr<T> ndtri(Expr<T> p) {
    return erfcinv(p.plus(p)).times(literal(p, -Math.sqrt(2)));
  }

  /** Logarithm of {@link #ndtr}, without underflow. */
  public static <T> Expr<T> logNdtr(Expr<T> a) {
    Apply.requireFloat("logNdtr", a);
    Expr<T> z = a.times(literal(a, Math.sqrt(0.5)));
    Expr<T> low = log(erfcx(z.neg()).times(literal(a, 0.5))).minus(z.times(z));
    Expr<T> high = log1p(erfc(z).times(literal(a, -0.5)));
    Expr<T> value = where(a.lt(literal(a, -1)), low, high);
    Expr<T> constant = literal(a, 0.5 * Math.log(2 * Math.PI));
    return Gradients.custom(
        value,
        () -> List.of(a),
        (dy, _) ->
            List.of(dy.times(exp(a.times(a).times(-0.5).minus(constant).minus(logNdtr(a))))));
  }

  // Bessel functions

  /**
   * Bessel function of the first kind of order 0: absolute error below 4e-16, relative error below
   * 8 ulp next to the first two zeros.
   */
  public static <T> Expr<T> besselJ0(Expr<T> a) {
    DoubleLambda.ToDouble1 f = BesselFunction::j0;
    return function("besselJ0", f, (x, _) -> besselJ1(x.get(0)).neg(), List.of(a));
  }

  /** Bessel function of the first kind of order 1: absolute error below 4e-16. */
  public static <T> Expr<T> besselJ1(Expr<T> a) {
    DoubleLambda.ToDouble1 f = BesselFunction::j1;
    Derivative<T> slope = (x, _) -> whereZero(x.get(0), z -> besselJ0(z).minus(besselJ1(z).div(z)));
    return function("besselJ1", f, slope, List.of(a));
  }

  /** Modified Bessel function of order 0, NumPy's i0: relative error below 2e-15. */
  public static <T> Expr<T> besselI0(Expr<T> a) {
    Expr<T> value = grown(a, besselI0e(a));
    return Gradients.custom(value, () -> List.of(a), (dy, _) -> List.of(dy.times(besselI1(a))));
  }

  /** Modified Bessel function of order 1: relative error below 2e-15. */
  public static <T> Expr<T> besselI1(Expr<T> a) {
    Expr<T> value = grown(a, besselI1e(a));
    return Gradients.custom(
        value,
        () -> List.of(a),
        (dy, _) -> List.of(dy.times(whereZero(a, z -> besselI0(z).minus(besselI1(z).div(z))))));
  }

  /** Returns {@code exp(|a|) b} for a small b, in two steps against overflow. */
  private static <T> Expr<T> grown(Expr<T> a, Expr<T> b) {
    Expr<T> power = exp(abs(a).times(literal(a, 0.5)));
    return power.times(b).times(power);
  }

  /** Modified Bessel function of order 0 times {@code exp(-|a|)}, SciPy's i0e: within 4 ulp. */
  public static <T> Expr<T> besselI0e(Expr<T> a) {
    DoubleLambda.ToDouble1 f = BesselFunction::i0e;
    Derivative<T> slope =
        (x, _) -> besselI1e(x.get(0)).minus(sign(x.get(0)).times(besselI0e(x.get(0))));
    return function("besselI0e", f, slope, List.of(a));
  }

  /** Modified Bessel function of order 1 times {@code exp(-|a|)}, SciPy's i1e: within 4 ulp. */
  public static <T> Expr<T> besselI1e(Expr<T> a) {
    DoubleLambda.ToDouble1 f = BesselFunction::i1e;
    Derivative<T> slope =
        (x, _) ->
            whereZero(
                x.get(0),
                z -> besselI0e(z).minus(besselI1e(z).times(sign(z).plus(literal(z, 1).div(z)))));
    return function("besselI1e", f, slope, List.of(a));
  }

  /** Returns 1/2 where {@code a} is 0, otherwise the slope, which may divide by its argument. */
  private static <T> Expr<T> whereZero(Expr<T> a, java.util.function.UnaryOperator<Expr<T>> slope) {
    var zero = a.eq(literal(a, 0));
    return where(zero, literal(a, 0.5), slope.apply(where(zero, literal(a, 1), a)));
  }

  // Logarithms

  /** Log-odds {@code log(a / (1 - a))}, the inverse of the sigmoid, accurate near 1/2. */
  public static <T> Expr<T> logit(Expr<T> a) {
    Apply.requireFloat("logit", a);
    Expr<T> one = literal(a, 1);
    Expr<T> rest = one.minus(a);
    Expr<T> above = a.minus(literal(a, 0.5));
    Expr<T> near = log1p(above.plus(above).div(rest));
    Expr<T> value = where(abs(above).lt(literal(a, 0.25)), near, log(a.div(rest)));
    return Gradients.custom(
        value, () -> List.of(a), (dy, _) -> List.of(dy.div(a.times(literal(a, 1).minus(a)))));
  }

  /** {@code a log(b)}, 0 where a is 0 unless b is NaN. */
  public static <T> Expr<T> xlogy(Expr<T> a, Expr<T> b) {
    return unlessZero("xlogy", a, b, log(b), b);
  }

  /** {@code a log(1 + b)}, accurate near 0, and 0 where a is 0 unless b is NaN. */
  public static <T> Expr<T> xlog1py(Expr<T> a, Expr<T> b) {
    return unlessZero("xlog1py", a, b, log1p(b), b.plus(literal(b, 1)));
  }

  /**
   * Product {@code a log} that is 0 where a is 0.
   *
   * @param of expression whose logarithm {@code log} is
   */
  private static <T> Expr<T> unlessZero(
      String name, Expr<T> a, Expr<T> b, Expr<T> log, Expr<T> of) {
    Apply.requireEqual(name, a, b);
    Expr.broadcast(name, a, b);
    Expr<T> zero = literal(a, 0);
    Expr<T> value = where(a.eq(zero).and(isNaN(b).not()), zero, a.times(log));
    return Gradients.custom(
        value, () -> List.of(a, b), (dy, _) -> List.of(dy.times(log), dy.times(a.div(of))));
  }

  // Lifted functions

  /** Partial derivatives of a function. */
  private interface Derivative<T> {
    /**
     * Returns the derivative with respect to operand k; null if it is derived from the function's
     * code.
     */
    Expr<T> of(List<Expr<T>> operands, int k);
  }

  /** Applies a function of F64, lifted into the kernel, to operands of any float dtype. */
  private static <T> Expr<T> function(
      String name, Lambda f, Derivative<T> derivative, List<Expr<T>> operands) {
    var wide = new ArrayList<Expr<?>>();
    for (Expr<T> a : operands) {
      Apply.requireFloat(name, a);
      Apply.requireEqual(name, operands.get(0), a);
      for (Expr<T> b : operands.subList(0, wide.size())) {
        Expr.broadcast(name, b, a);
      }
      wide.add(a.cast(F64.INSTANCE));
    }
    Expr<F64> value = Apply.map(F64.INSTANCE, f, wide.toArray(Expr<?>[]::new));
    return Gradients.custom(
        value.cast(operands.get(0).dtype()),
        () -> operands,
        (dy, wanted) -> {
          var gradients = new Expr<?>[operands.size()];
          for (int k = 0; k < gradients.length; k++) {
            if (wanted.test(k)) {
              Expr<T> slope = derivative.of(operands, k);
              gradients[k] =
                  slope == null
                      ? FormulaGradient.of(value, dy.cast(F64.INSTANCE)).get(k).cast(dy.dtype())
                      : dy.times(slope);
            }
          }
          return Arrays.asList(gradients);
        });
  }
}
