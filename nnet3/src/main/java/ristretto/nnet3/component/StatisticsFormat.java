package ristretto.nnet3.component;

/**
 * Conversion between statistics in memory, which are sums over rows, and in files, which are
 * averages.
 */
public final class StatisticsFormat {
  private StatisticsFormat() {}

  /** Returns averages, as stored in files. */
  public static float[] averages(double[] sums, double count) {
    float factor = count == 0 ? 1 : (float) (1.0 / count);
    var averages = new float[sums.length];
    for (int i = 0; i < sums.length; i++) {
      averages[i] = (float) sums[i] * factor;
    }
    return averages;
  }

  /** Returns sums from the averages of a file. */
  public static double[] sums(double[] averages, double count) {
    var sums = new double[averages.length];
    for (int i = 0; i < sums.length; i++) {
      sums[i] = averages[i] * count;
    }
    return sums;
  }

  /** Returns sums with more added; sums of another length count as zeros. */
  public static double[] plus(double[] sums, float[] more) {
    var all = new double[more.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = (sums.length == all.length ? sums[i] : 0) + more[i];
    }
    return all;
  }

  public static double[] toDoubles(float[] values) {
    var doubles = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      doubles[i] = values[i];
    }
    return doubles;
  }
}
