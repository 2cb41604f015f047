package ristretto.kernels.fourier;

import java.util.ArrayList;
import java.util.List;

/** Factors of the lengths of transforms. */
public final class Factors {
  /** Largest prime factor for which a butterfly is made. */
  public static final int MOST_PRIME = 13;

  private static final int[] RADICES = {8, 4, 2, 5, 3, 7, 11, 13};

  private Factors() {}

  /** Returns true if butterflies compute the length: no prime factor exceeds the largest one. */
  public static boolean isSmooth(long n) {
    long left = n;
    for (int r : RADICES) {
      while (left % r == 0) {
        left /= r;
      }
    }
    return left == 1;
  }

  /** Radices of the passes of a smooth length, in order. */
  public static List<Integer> radices(long n) {
    var all = new ArrayList<Integer>();
    long left = n;
    for (int r : RADICES) {
      // A final pass of radix 2 costs as much memory traffic as one of radix 8: 16 is 4 times 4.
      while (left % r == 0 && !(r == 8 && left % 16 == 0 && left / 16 % 2 != 0)) {
        all.add(r);
        left /= r;
      }
    }
    return all;
  }

  /** Smallest length of at least n with the prime factors 2, 3 and 5 only. */
  public static long smoothAtLeast(long n) {
    long best = Long.highestOneBit(Math.max(1, n - 1)) * 2;
    for (long five = 1; five < best; five *= 5) {
      for (long three = five; three < best; three *= 3) {
        long m = three;
        while (m < n) {
          m *= 2;
        }
        best = Math.min(best, m);
      }
    }
    return n <= 1 ? 1 : best;
  }

  /** Largest divisor of a smooth length that is at most its square root. */
  public static long half(long n) {
    for (long d = (long) Math.sqrt((double) n); d > 1; d--) {
      if (n % d == 0) {
        return d;
      }
    }
    return 1;
  }
}
