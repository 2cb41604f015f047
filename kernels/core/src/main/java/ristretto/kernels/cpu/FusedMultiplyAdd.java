package ristretto.kernels.cpu;

/**
 * {@code a * b + c} with one rounding, for processors without an instruction for it. There {@link
 * Math#fma} computes with BigDecimal, which takes microseconds. The bits are the same.
 *
 * <p>Exact products and errors of sums are those of Dekker and Knuth; a sum rounded to odd can be
 * rounded once more without harm (Boldo and Melquiond, 2008). Rounding twice to nearest does harm
 * only where the first result is half way between two values, so other sums are left as they are:
 * half of the last bits are odd, and a branch on them cannot be predicted.
 */
final class FusedMultiplyAdd {
  /** True if {@link Math#fma} is an instruction. */
  static final boolean IN_HARDWARE = leastNanos() < 1_000;

  /** 2^27 + 1: splits a double into halves whose products are exact. */
  private static final double SPLIT = 0x1p27 + 1;

  /** Magnitudes between which no step overflows or loses bits. */
  private static final double MOST_FACTOR = 0x1p500;

  private static final double LEAST_PRODUCT = 0x1p-900;
  private static final double MOST_TERM = 0x1p900;

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
    double product = (double) a * b;
    double sum = product + c;
    // Half way between two floats all of these bits are 0.
    return Double.doubleToRawLongBits(sum) << 36 == 0 ? toOdd(product, c) : (float) sum;
  }

  private static float toOdd(double product, float c) {
    return (float) sumToOdd(product, c);
  }

  static double fma(double a, double b, double c) {
    double high = a * b;
    if (Math.abs(a) < MOST_FACTOR
        && Math.abs(b) < MOST_FACTOR
        && Math.abs(high) > LEAST_PRODUCT
        && Math.abs(c) < MOST_TERM) {
      double a1 = upper(a);
      double b1 = upper(b);
      double a2 = a - a1;
      double b2 = b - b1;
      double low = a2 * b2 - (high - a1 * b1 - a2 * b1 - a1 * b2);
      double inner = c + low;
      double outer = high + inner;
      double innerError = error(c, low, inner);
      double outerError = error(high, inner, outer);
      double rest = outerError + innerError;
      // An inexact rest is below two units in the last place of the outer sum. Half way between
      // two doubles it is a multiple of a quarter of a unit, so it has at most three bits.
      return Double.doubleToRawLongBits(rest) << 20 == 0
          ? outer + sumToOdd(outerError, innerError)
          : outer + rest;
    }
    return a == 0 || b == 0 ? high + c : Math.fma(a, b, c);
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
