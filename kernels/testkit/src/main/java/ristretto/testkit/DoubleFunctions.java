package ristretto.testkit;

/** Functions that {@link Math} lacks, in double, accurate to a few ulp. */
final class DoubleFunctions {
  private DoubleFunctions() {}

  static double exp2(double a) {
    return Math.pow(2, a);
  }

  static double log2(double a) {
    int exponent = Math.getExponent(a);
    boolean power = exponent <= Double.MAX_EXPONENT && a == Math.scalb(1.0, exponent);
    return power ? exponent : Math.log(a) / Math.log(2);
  }

  static double asinh(double v) {
    double a = Math.abs(v);
    double positive =
        a > 1e8 ? Math.log(a) + Math.log(2) : Math.log1p(a + a * a / (1 + Math.sqrt(a * a + 1)));
    return Math.copySign(positive, v);
  }

  static double acosh(double a) {
    double t = a - 1;
    return a > 1e8 ? Math.log(a) + Math.log(2) : Math.log1p(t + Math.sqrt(2 * t + t * t));
  }

  static double atanh(double a) {
    double t = Math.abs(a);
    return Math.copySign(0.5 * Math.log1p(2 * t / (1 - t)), a);
  }

  static double trunc(double a) {
    return Math.copySign(Math.floor(Math.abs(a)), a);
  }

  static double erf(double a) {
    return Math.abs(a) < 2 ? series(a) : a > 0 ? 1 - fraction(a) : fraction(-a) - 1;
  }

  static double erfc(double a) {
    return Math.abs(a) < 2 ? 1 - series(a) : a > 0 ? fraction(a) : 2 - fraction(-a);
  }

  /**
   * Error function for small arguments: 2 / sqrt(pi) exp(-a^2) (a + 2 a^3 / 3 + 4 a^5 / 15 + ...).
   */
  private static double series(double a) {
    double term = a;
    double sum = a;
    for (int k = 1; Math.abs(term) > 1e-18 * Math.abs(sum); k++) {
      term *= 2 * a * a / (2 * k + 1);
      sum += term;
    }
    return sum * Math.exp(-a * a) * 2 / Math.sqrt(Math.PI);
  }

  /**
   * Complementary error function for large arguments, by backward evaluation of its continued
   * fraction.
   */
  private static double fraction(double a) {
    if (a > 30) {
      return 0;
    }
    double rest = a;
    for (int k = 120; k > 0; k--) {
      rest = a + k / 2.0 / rest;
    }
    return Math.exp(-a * a) / rest / Math.sqrt(Math.PI);
  }
}
