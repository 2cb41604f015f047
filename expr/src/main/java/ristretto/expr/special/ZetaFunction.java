package ristretto.expr.special;

/** Zeta functions by the Euler-Maclaurin formula. */
public final class ZetaFunction {
  private ZetaFunction() {}

  /** Hurwitz zeta function, the sum of {@code (q + k)^-s} over k from 0, for s above 1. */
  public static double hurwitz(double s, double q) {
    double value;
    if (q > 0) {
      value = sum(s, q);
    } else {
      // Terms below 0, which exist for whole s, are a difference of two such sums.
      double below = Math.ceil(q) - q;
      double sign = s - 2 * Math.floor(s * 0.5) == 0 ? 1 : -1;
      value = sum(s, 1 - below) + sign * (sum(s, below) - sum(s, 1 - q));
      value = below == 0 ? Double.POSITIVE_INFINITY : s == Math.rint(s) ? value : Double.NaN;
    }
    value = s == Double.POSITIVE_INFINITY ? q > 1 ? 0 : q == 1 ? 1 : q > 0 ? s : Double.NaN : value;
    value = q == Double.POSITIVE_INFINITY ? 0 : value;
    return s > 1 ? value : s == 1 ? Double.POSITIVE_INFINITY : Double.NaN;
  }

  /** Riemann zeta function for all s; infinity at the pole 1. */
  public static double riemann(double s) {
    double positive = s < 0 ? 1 - s : s;
    double value = s > 60 ? 1 : sum(positive, 1);
    double sine = GammaFunction.sineOfPi(s * 0.5);
    // 1 where it is not used, so that derivatives of the unused terms are finite
    double y = s < 0 ? 1 - s : 1;
    double power = Math.pow(2 * Math.PI, -y);
    double large = Math.exp(GammaFunction.lgammaOfPositive(y) - y * Math.log(2 * Math.PI));
    double factor = s > -150 ? power * GammaFunction.gamma(y) : large;
    double reflected = sine == 0 ? 0 : 2 * sine * factor * value;
    reflected = s == Double.NEGATIVE_INFINITY ? Double.NaN : reflected;
    return s == 1 ? Double.POSITIVE_INFINITY : s < 0 ? reflected : value;
  }

  /** Sum for q above 0; the remainder after 12 or more terms is a series in Bernoulli numbers. */
  private static double sum(double s, double q) {
    double sum = 0;
    double a = q;
    for (int k = 0; k < 12 || a < 12; k++) {
      sum += Math.pow(a, -s);
      a += 1;
    }
    double power = Math.pow(a, -s);
    sum += power * a / (s - 1) + 0.5 * power;
    double square = 1 / (a * a);
    double term = power * s / a;
    sum += term / 12;
    term *= (s + 1) * (s + 2) * square;
    sum -= term / 720;
    term *= (s + 3) * (s + 4) * square;
    sum += term / 30240;
    term *= (s + 5) * (s + 6) * square;
    sum -= term / 1209600;
    term *= (s + 7) * (s + 8) * square;
    sum += term / 47900160;
    term *= (s + 9) * (s + 10) * square;
    sum -= term * 5.284190138687493e-10;
    term *= (s + 11) * (s + 12) * square;
    sum += term * 1.3382536530684679e-11;
    term *= (s + 13) * (s + 14) * square;
    sum -= term * 3.3896802963225829e-13;
    return sum;
  }
}
