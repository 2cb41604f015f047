package ristretto.expr.special;

/** Logarithm of the beta function and the regularized incomplete beta function. */
public final class BetaFunction {
  private static final double EPSILON = 0x1p-54;
  private static final double TINY = 1e-300;

  /** Limit of iterations, which is enough for parameters up to 1e8. */
  private static final int MOST = 100_000;

  private BetaFunction() {}

  /** Logarithm of the beta function, for positive a and b; otherwise NaN. */
  public static double logBeta(double a, double b) {
    double n = a + b;
    double small = Math.min(a, b);
    double large = Math.max(a, b);
    // Stirling's formula for the larger parameter and the sum, whose leading terms cancel
    double ratio = Math.log1p(small / large);
    double rest = GammaFunction.stirling(large) - GammaFunction.stirling(n);
    double far =
        GammaFunction.lgammaOfPositive(small) - (large - 0.5) * ratio - small * (Math.log(n) - 1);
    double near =
        GammaFunction.lgammaOfPositive(small)
            + GammaFunction.lgammaOfPositive(large)
            - GammaFunction.lgammaOfPositive(n);
    double value = large < 3 ? near : far + rest;
    return small > 0 ? value : small == 0 ? Double.POSITIVE_INFINITY : Double.NaN;
  }

  /** Regularized incomplete beta function I_x(a, b). */
  public static double incomplete(double a, double b, double x) {
    if (!(a >= 0) || !(b >= 0) || !(x >= 0 && x <= 1) || a == 0 && b == 0) {
      return Double.NaN;
    }
    if (x == 0 || x == 1) {
      return x;
    }
    if (a == 0 || b == Double.POSITIVE_INFINITY) {
      return a == Double.POSITIVE_INFINITY ? Double.NaN : 1;
    }
    if (b == 0 || a == Double.POSITIVE_INFINITY) {
      return 0;
    }
    double front = power(a, b, x);
    int swapped = x > (a + 1) / (a + b + 2) ? 1 : 0;
    double p = swapped == 1 ? b : a;
    double q = swapped == 1 ? a : b;
    double z = swapped == 1 ? 1 - x : x;
    // continued fraction by Lentz's algorithm, two terms in each iteration
    double c = 1;
    double d = 1 - (p + q) * z / (p + 1);
    d = 1 / (Math.abs(d) < TINY ? TINY : d);
    double h = d;
    double factor = 0;
    int m = 1;
    while (Math.abs(factor - 1) > 2 * EPSILON && m < MOST) {
      double even = m * (q - m) * z / ((p + 2 * m - 1) * (p + 2 * m));
      d = 1 + even * d;
      d = 1 / (Math.abs(d) < TINY ? TINY : d);
      c = 1 + even / c;
      c = Math.abs(c) < TINY ? TINY : c;
      h *= d * c;
      double odd = -(p + m) * (p + q + m) * z / ((p + 2 * m) * (p + 2 * m + 1));
      d = 1 + odd * d;
      d = 1 / (Math.abs(d) < TINY ? TINY : d);
      c = 1 + odd / c;
      c = Math.abs(c) < TINY ? TINY : c;
      factor = d * c;
      h *= factor;
      m++;
    }
    double value = m == MOST ? Double.NaN : front * h / p;
    return swapped == 1 ? 1 - value : value;
  }

  /** Derivative of I_x(a, b) with respect to x: {@code x^(a-1) (1-x)^(b-1) / B(a, b)}. */
  public static double density(double a, double b, double x) {
    double inside = power(a, b, x) / (x * (1 - x));
    double atZero = a < 1 ? Double.POSITIVE_INFINITY : a == 1 ? b : 0;
    double atOne = b < 1 ? Double.POSITIVE_INFINITY : b == 1 ? a : 0;
    double value = x == 0 ? atZero : x == 1 ? atOne : inside;
    return a > 0 && b > 0 && x >= 0 && x <= 1 ? value : Double.NaN;
  }

  /** Returns {@code x^a (1-x)^b / B(a, b)}. */
  private static double power(double a, double b, double x) {
    double n = a + b;
    double difference = x * b - (1 - x) * a;
    double left = IncompleteGamma.excess(difference / a, x * n / a);
    double right = IncompleteGamma.excess(-difference / b, (1 - x) * n / b);
    double exponent = -a * left - b * right;
    double series =
        GammaFunction.stirling(n) - GammaFunction.stirling(a) - GammaFunction.stirling(b);
    return Math.exp(exponent + series) * Math.sqrt(a * (b / n) / (2 * Math.PI));
  }
}
