package ristretto.expr.special;

/**
 * Polynomials by Horner's scheme, with coefficients from the highest power down to the constant.
 */
final class Polynomial {
  private Polynomial() {}

  static double of(double x, double a, double b) {
    return Math.fma(a, x, b);
  }

  static double of(double x, double a, double b, double c) {
    return of(x, of(x, a, b), c);
  }

  static double of(double x, double a, double b, double c, double d) {
    return of(x, of(x, a, b, c), d);
  }

  static double of(double x, double a, double b, double c, double d, double e) {
    return of(x, of(x, a, b, c, d), e);
  }

  static double of(double x, double a, double b, double c, double d, double e, double f) {
    return of(x, of(x, a, b, c, d, e), f);
  }

  static double of(double x, double a, double b, double c, double d, double e, double f, double g) {
    return of(x, of(x, a, b, c, d, e, f), g);
  }
}
