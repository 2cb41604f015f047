package ristretto.symbolic.data;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Order of the examples of an epoch, which depends only on its seed and the epoch's number. */
@FunctionalInterface
interface Order {
  /** Number of batches of which the examples are sorted by length together. */
  int WINDOW = 50;

  /** Returns the example at a position of the order. */
  long at(long position);

  /** Returns a permutation of all examples. */
  static long[] shuffled(long size, long seed, long epoch) {
    SplittableRandom random = random(seed, epoch);
    long[] order = new long[Math.toIntExact(size)];
    for (int k = 0; k < order.length; k++) {
      int other = random.nextInt(k + 1);
      order[k] = order[other];
      order[other] = k;
    }
    return order;
  }

  private static SplittableRandom random(long seed, long epoch) {
    return new SplittableRandom(new SplittableRandom(seed).nextLong() + epoch);
  }

  /**
   * Draws examples with replacement.
   *
   * @param sums sums of the weights of the examples up to each, the last one positive
   */
  static long[] weighted(double[] sums, long seed, long epoch) {
    SplittableRandom random = random(seed, epoch);
    long[] order = new long[sums.length];
    for (int k = 0; k < order.length; k++) {
      double at = random.nextDouble() * sums[sums.length - 1];
      order[k] = after(sums, at);
    }
    return order;
  }

  /** Returns the first index of a sum above a number: that of an example with positive weight. */
  private static int after(double[] sums, double at) {
    int low = 0;
    int high = sums.length - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sums[middle] > at) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /**
   * Sorts windows of an order by the lengths of the examples, and shuffles the batches.
   *
   * @param group examples of a batch, for all shards together
   * @param shuffle true if the batches are shuffled; a smaller last batch remains the last one
   */
  static long[] bucketed(
      long[] order, Dataset data, int group, boolean shuffle, long seed, long epoch) {
    // Keys of length and position: so sorting is stable, without boxed numbers.
    for (long start = 0; start < order.length; start += (long) group * WINDOW) {
      int end = (int) Math.min(order.length, start + (long) group * WINDOW);
      long[] keys = new long[end - (int) start];
      for (int k = 0; k < keys.length; k++) {
        keys[k] = data.steps(order[(int) start + k]) << 32 | k;
      }
      Arrays.sort(keys);
      long[] window = Arrays.copyOfRange(order, (int) start, end);
      for (int k = 0; k < keys.length; k++) {
        order[(int) start + k] = window[(int) keys[k]];
      }
    }
    return shuffle ? batchesShuffled(order, group, random(~seed, epoch)) : order;
  }

  private static long[] batchesShuffled(long[] order, int group, SplittableRandom random) {
    int groups = order.length / group;
    int[] batches = new int[groups];
    for (int k = 0; k < groups; k++) {
      int other = random.nextInt(k + 1);
      batches[k] = batches[other];
      batches[other] = k;
    }
    long[] shuffled = order.clone();
    for (int k = 0; k < groups; k++) {
      System.arraycopy(order, batches[k] * group, shuffled, k * group, group);
    }
    return shuffled;
  }
}
