package ristretto.expr.index;

/**
 * Arithmetic of sizes {@code a + b n}, where n is a number that is not known yet, such as the
 * number of sequences of a recorded computation. A size is one {@code long}. A known size is
 * itself, so shapes, strides and offsets of known sizes cost nothing extra; n is {@link #UNKNOWN},
 * and sums of sizes and products with known numbers are ordinary sums and products. Nothing else is
 * a size: {@link #isValid} tells.
 */
public final class Size {
  /**
   * The size n. Larger than all known sizes of a plan, so that a and b can be told from the sum,
   * and a prime, so that a quotient that is no size for every n is none here either.
   */
  public static final long UNKNOWN = 1_073_741_789;

  /** Limit of a. */
  private static final long MOST = 1 << 28;

  /** Limit of b: n times n is no size. */
  private static final long MOST_TIMES = UNKNOWN / 2;

  private Size() {}

  /** Coefficient b of n. */
  public static long times(long size) {
    return Math.floorDiv(size + UNKNOWN / 2, UNKNOWN);
  }

  /** Returns true if n does not occur in a size. */
  public static boolean isKnown(long size) {
    return Math.abs(size) < UNKNOWN / 2;
  }

  /** Value of a size for an n. */
  public static long at(long size, long n) {
    if (isKnown(size)) {
      return size;
    }
    long times = times(size);
    return size - times * UNKNOWN + times * n;
  }

  /** Returns true if a number is a size {@code a + b n}. */
  public static boolean isValid(long number) {
    long times = times(number);
    return Math.abs(times) <= MOST_TIMES && Math.abs(number - times * UNKNOWN) <= MOST;
  }

  /** Returns true if a number that is no size is so large that n may have been part of it. */
  public static boolean isLarge(double number) {
    return Math.abs(number) > MOST && Math.abs(number) < 4.0 * UNKNOWN * UNKNOWN;
  }

  /** Printable form: {@code 12}, {@code n}, {@code 3n+2}. */
  public static String text(long size) {
    if (isKnown(size) || !isValid(size)) {
      return Long.toString(size);
    }
    long times = times(size);
    long rest = size - times * UNKNOWN;
    String product = times == 1 ? "n" : times == -1 ? "-n" : times + "n";
    return rest == 0 ? product : product + (rest > 0 ? "+" : "") + rest;
  }
}
