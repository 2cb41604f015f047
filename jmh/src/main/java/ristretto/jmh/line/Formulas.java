package ristretto.jmh.line;

/** Element-wise lines in double precision. */
final class Formulas {
  private Formulas() {}

  static double sigmoid(double x) {
    return 1 / (1 + Math.exp(-x));
  }

  static double gelu(double x) {
    return 0.5 * x * (1 + Math.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
  }

  static double mix8(double a, double b, double c) {
    return Math.max(Math.sqrt(a * b + c) / Math.exp(b), Math.log(a) * c);
  }

  /** Price of a call option with rate 0.02 and volatility 0.3. */
  static double blackScholes(double spot, double strike, double time) {
    double deviation = 0.3 * Math.sqrt(time);
    double d1 = (Math.log(spot / strike) + 0.065 * time) / deviation;
    return spot * normal(d1) - strike * Math.exp(-0.02 * time) * normal(d1 - deviation);
  }

  /**
   * Cumulative distribution function of the normal distribution, by the usual polynomial of
   * Abramowitz and Stegun.
   */
  private static double normal(double d) {
    double k = 1 / (1 + 0.2316419 * Math.abs(d));
    double p =
        k
            * (0.319381530
                + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double w = 0.39894228 * Math.exp(-0.5 * d * d) * p;
    return d < 0 ? w : 1 - w;
  }
}
