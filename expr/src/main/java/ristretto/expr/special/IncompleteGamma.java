package ristretto.expr.special;

/** Regularized incomplete gamma functions and the density of the gamma distribution. */
public final class IncompleteGamma {
  private static final double EPSILON = 0x1p-54;
  private static final double TINY = 1e-300;

  /** Limit of iterations, which is enough for {@code a} up to 1e8. */
  private static final int MOST = 100_000;

  private IncompleteGamma() {}

  /** Regularized lower function P(a, x). */
  public static double lower(double a, double x) {
    return value(a, x, 0);
  }

  /** Regularized upper function {@code Q(a, x) = 1 - P(a, x)}. */
  public static double upper(double a, double x) {
    return value(a, x, 1);
  }

  /** Derivative of P(a, x) with respect to x: {@code x^(a-1) e^-x / gamma(a)}. */
  public static double density(double a, double x) {
    if (!(a > 0) || !(x >= 0)) {
      return Double.NaN;
    }
    if (x == 0) {
      return a < 1 ? Double.POSITIVE_INFINITY : a == 1 ? 1 : 0;
    }
    return x == Double.POSITIVE_INFINITY ? 0 : power(a, x) * (a / x);
  }

  /** Returns {@code x^a e^-x / gamma(a + 1)}. */
  private static double power(double a, double x) {
    double exponent = -a * excess((x - a) / a, x / a) - GammaFunction.stirling(a);
    return Math.exp(exponent) / Math.sqrt(2 * Math.PI * a);
  }

  /**
   * Returns {@code m - log(1 + m)}, accurate near 0.
   *
   * @param ratio {@code 1 + m}, accurate near 0
   */
  public static double excess(double m, double ratio) {
    double t = m + 0.4;
    double near =
        m
            * m
            * (Polynomial.of(
                    t,
                    Polynomial.of(
                        t,
                        6.066925879217622e-06,
                        0.017234207383902748,
                        0.3167973853837605,
                        1.8332742802706685,
                        4.61055791487122,
                        5.585135920361334,
                        3.1974861253333793),
                    0.6926601485374417)
                / Polynomial.of(
                    t,
                    Polynomial.of(
                        t,
                        0.01771986367106995,
                        0.37879010093693233,
                        2.6609432867764786,
                        8.548144963678848,
                        14.195555934257976,
                        12.577134203155236,
                        5.631696954920112),
                    1));
    return m > -0.4 && m < 0.6 ? near : m - Math.log(ratio);
  }

  private static double value(double a, double x, int upper) {
    if (!(a >= 0) || !(x >= 0) || a == 0 && x == 0) {
      return Double.NaN;
    }
    if (x == 0 || a == Double.POSITIVE_INFINITY) {
      return x == Double.POSITIVE_INFINITY ? Double.NaN : upper;
    }
    if (x == Double.POSITIVE_INFINITY || a == 0) {
      return 1 - upper;
    }
    if (x < 1.1 && a < 1 && upper == 1) {
      // 1 - x^a / gamma(a + 1), less the other terms of the series in -x
      double term = a;
      double sum = 0;
      int n = 1;
      while (Math.abs(term) > EPSILON * Math.abs(sum) && n < 100) {
        term = -term * x / n;
        sum += term / (a + n);
        n++;
      }
      double first = Math.expm1(a * Math.log(x) - GammaFunction.lgammaOfPositive(a + 1));
      return -first - (first + 1) * sum;
    }
    double front = power(a, x);
    if (x < a + 1) {
      double term = 1;
      double sum = 1;
      int n = 1;
      while (term > EPSILON * sum && n < MOST) {
        term *= x / (a + n);
        sum += term;
        n++;
      }
      double p = n == MOST ? Double.NaN : front * sum;
      return upper == 1 ? 1 - p : p;
    }
    // continued fraction by Lentz's algorithm
    double b = x + 1 - a;
    double c = 1 / TINY;
    double d = 1 / b;
    double h = d;
    double factor = 0;
    int n = 1;
    while (Math.abs(factor - 1) > 2 * EPSILON && n < MOST) {
      double numerator = n * (a - n);
      b += 2;
      d = numerator * d + b;
      d = 1 / (Math.abs(d) < TINY ? TINY : d);
      c = b + numerator / c;
      c = Math.abs(c) < TINY ? TINY : c;
      factor = c * d;
      h *= factor;
      n++;
    }
    double q = n == MOST ? Double.NaN : front * a * h;
    return upper == 1 ? q : 1 - q;
  }
}
