package ristretto.spark.train;

import java.util.Arrays;

/** Sums in double precision, a block at a time, because states may be large. */
final class Sums {
  private static final int BLOCK = 1 << 16;

  private Sums() {}

  /** Terms of a block of a sum. */
  interface Terms {
    /** Adds the terms of {@code count} elements from {@code from} on to the first of a sum. */
    void add(int from, int count, double[] sum);
  }

  static float[] of(int length, Terms terms) {
    var all = new float[length];
    var sum = new double[Math.min(BLOCK, length)];
    for (int from = 0; from < length; from += BLOCK) {
      int count = Math.min(BLOCK, length - from);
      Arrays.fill(sum, 0);
      terms.add(from, count, sum);
      for (int k = 0; k < count; k++) {
        all[from + k] = (float) sum[k];
      }
    }
    return all;
  }
}
