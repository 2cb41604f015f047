package ristretto.nnet3.component;

/** Sums over rows in memory, averages over rows in files. */
final class Stats {
  private Stats() {}

  /** What a file holds of sums. */
  static float[] averages(double[] sums, double count) {
    float factor = count == 0 ? 1 : (float) (1.0 / count);
    var averages = new float[sums.length];
    for (int i = 0; i < sums.length; i++) {
      averages[i] = (float) sums[i] * factor;
    }
    return averages;
  }

  /** The sums again. */
  static double[] sums(double[] averages, double count) {
    var sums = new double[averages.length];
    for (int i = 0; i < sums.length; i++) {
      sums[i] = averages[i] * count;
    }
    return sums;
  }

  /** Sums with more added; sums of another length count as none. */
  static double[] plus(double[] sums, float[] more) {
    var all = new double[more.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = (sums.length == all.length ? sums[i] : 0) + more[i];
    }
    return all;
  }

  static double[] toDoubles(float[] values) {
    var doubles = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      doubles[i] = values[i];
    }
    return doubles;
  }
}
