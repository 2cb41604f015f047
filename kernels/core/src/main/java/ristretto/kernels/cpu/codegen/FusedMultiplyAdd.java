package ristretto.kernels.cpu.codegen;

import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * Computes {@code a * b + c} with one rounding, for processors without an instruction for it, where
 * {@link Math#fma} uses BigDecimal and takes microseconds. Results have equal bits.
 *
 * <p>Errors of products are computed by Dekker's method, those of sums by Knuth's: the exact result
 * is {@code sum + (error + low)}. The inner sum is rounded, and the outer one rounds again. If the
 * outer sum is equal for values a little above and a little below the inner sum, the double
 * rounding is harmless (Ziv, 1991). Otherwise the inner sum is rounded to odd, after which a second
 * rounding is exact (Boldo and Melquiond, 2008).
 */
final class FusedMultiplyAdd {
  /** True if {@link Math#fma} is an instruction. */
  static final boolean IN_HARDWARE = leastNanos() < 1_000;

  /** 2^27 + 1: splits a double into halves whose products are exact. */
  private static final double SPLIT = 0x1p27 + 1;

  /** Factors that move a rounded number past the exact one, away from 0 and towards it. */
  private static final double ABOVE = 1 + 0x1p-51;

  private static final double BELOW = 1 - 0x1p-51;

  /** Magnitude of results above which bits lost by underflow do not matter. */
  private static final double LEAST_RESULT = 0x1p-899;

  /** Magnitudes between which no step overflows or loses bits. */
  private static final double MOST_FACTOR = 0x1p500;

  private static final double LEAST_PRODUCT = 0x1p-900;
  private static final double MOST_TERM = 0x1p900;

  private static final int OPERATIONS_F64 = 40;
  private static final int OPERATIONS_F32 = 8;

  private FusedMultiplyAdd() {}

  /**
   * Measures the least time of a call in nanoseconds, over several calls, some of which may be
   * interrupted.
   */
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

  /**
   * Number of operations that scalar code executes for a row. Calls of this class are dependency
   * chains, so that loops over many elements should hold few of them: the processor then overlaps
   * several elements.
   */
  static int operations(Node node) {
    if (IN_HARDWARE || !(node instanceof Node.Apply n) || n.op() != Op.FMA) {
      return 1;
    }
    return n.type() == ScalarType.F64 ? OPERATIONS_F64 : OPERATIONS_F32;
  }

  static float fma(float a, float b, float c) {
    // Products of floats are exact in double, and their sums neither overflow nor underflow.
    double product = (double) a * b;
    double sum = product + c;
    // Halfway between two floats, all of these bits are 0.
    return Double.doubleToRawLongBits(sum) << 36 == 0 ? toOdd(product, c) : (float) sum;
  }

  private static float toOdd(double product, float c) {
    return (float) sumToOdd(product, c);
  }

  static double fma(double a, double b, double c) {
    double high = a * b;
    double low = low(a, b, high);
    double sum = high + c;
    double tail = error(high, c, sum) + low;
    double result = sum + tail * ABOVE;
    double other = sum + tail * BELOW;
    // The difference is NaN if a step overflowed.
    return result - other == 0 && Math.abs(result) > LEAST_RESULT ? result : exact(a, b, c);
  }

  private static double exact(double a, double b, double c) {
    double high = a * b;
    if (Math.abs(a) < MOST_FACTOR
        && Math.abs(b) < MOST_FACTOR
        && Math.abs(high) > LEAST_PRODUCT
        && Math.abs(c) < MOST_TERM) {
      double sum = high + c;
      return sum + sumToOdd(error(high, c, sum), low(a, b, high));
    }
    return a == 0 || b == 0 ? high + c : Math.fma(a, b, c);
  }

  /** Rounding error of {@code product = a * b}. */
  private static double low(double a, double b, double product) {
    double a1 = upper(a);
    double b1 = upper(b);
    double a2 = a - a1;
    double b2 = b - b1;
    return a2 * b2 - (product - a1 * b1 - a2 * b1 - a1 * b2);
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

  /**
   * Returns the sum if it is exact, else the one of the two doubles around it with an odd last bit.
   */
  private static double sumToOdd(double a, double b) {
    double sum = a + b;
    double error = error(a, b, sum);
    long bits = Double.doubleToRawLongBits(sum);
    // The comparisons are false for NaN: an operand was infinite or NaN.
    if ((error > 0 || error < 0) && (bits & 1) == 0) {
      bits += error > 0 == sum > 0 ? 1 : -1;
    }
    return Double.longBitsToDouble(bits);
  }
}
