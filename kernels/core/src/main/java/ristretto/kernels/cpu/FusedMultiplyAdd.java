package ristretto.kernels.cpu;

/**
 * {@code a * b + c} with one rounding, for processors without an instruction for it. There {@link
 * Math#fma} computes with BigDecimal, which takes microseconds. The bits are the same.
 *
 * <p>Exact products and errors of sums are those of Dekker and Knuth; a sum rounded to odd can be
 * rounded once more without harm (Boldo and Melquiond, 2008).
 */
final class FusedMultiplyAdd {
  /** True if {@link Math#fma} is an instruction. */
  static final boolean IN_HARDWARE = leastNanos() < 1_000;

  /** 2^27 + 1: splits a double into halves whose products are exact. */
  private static final double SPLIT = 0x1p27 + 1;

  /** Exponents of factors and sums between which no step overflows or loses bits. */
  private static final int LEAST = -400;

  private static final int MOST = 400;

  private FusedMultiplyAdd() {}

  /** Least time of a few calls, of which the system may interrupt some. */
  private static long leastNanos() {
    long least = Long.MAX_VALUE;
    double sum = 0.1;
    for (int k = 0; k < 30; k++) {
      long start = System.nanoTime();
      sum = Math.fma(sum, 0.9, 0.1);
      least = Math.min(least, System.nanoTime() - start);
    }
    return sum == 0 ? 0 : least;
  }

  static float fma(float a, float b, float c) {
    // Products of floats are exact in double, and their sums neither overflow nor underflow.
    return (float) sumToOdd((double) a * b, c);
  }

  static double fma(double a, double b, double c) {
    if (a == 0 || b == 0) {
      return a * b + c;
    }
    if (!between(a) || !between(b) || c != 0 && !between(c)) {
      return Math.fma(a, b, c);
    }
    double high = a * b;
    double a1 = upper(a);
    double b1 = upper(b);
    double a2 = a - a1;
    double b2 = b - b1;
    double low = a2 * b2 - (high - a1 * b1 - a2 * b1 - a1 * b2);
    double inner = c + low;
    double innerError = error(c, low, inner);
    double outer = high + inner;
    return outer + sumToOdd(error(high, inner, outer), innerError);
  }

  private static boolean between(double v) {
    int exponent = Math.getExponent(v);
    return exponent >= LEAST && exponent <= MOST;
  }

  private static double upper(double v) {
    double c = SPLIT * v;
    return c - (c - v);
  }

  /** Rounding error of {@code sum = a + b}. */
  private static double error(double a, double b, double sum) {
    double part = sum - a;
    return (a - (sum - part)) + (b - part);
  }

  /** The sum if it is exact, else of the two doubles around it the one with an odd last bit. */
  private static double sumToOdd(double a, double b) {
    double sum = a + b;
    double error = error(a, b, sum);
    long bits = Double.doubleToRawLongBits(sum);
    // The comparisons are false for NaN, where an operand was infinite or NaN.
    if ((error > 0 || error < 0) && (bits & 1) == 0) {
      bits += error > 0 == sum > 0 ? 1 : -1;
    }
    return Double.longBitsToDouble(bits);
  }
}
