package ristretto.jmh.training;

import java.util.Arrays;
import java.util.List;

/**
 * Measurements of one side with one number of threads.
 *
 * @param least minimum time of a step over all samples, in nanoseconds
 * @param median median of the samples in nanoseconds
 * @param peak peak bytes of tensors; 0 if not known
 * @param losses losses of the first steps
 */
record Lap(
    Racer.Side side, int threads, double least, double median, long peak, List<Double> losses) {
  static Lap of(Racer.Side side, int threads, double[] samples, long peak, double[] losses) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    return new Lap(
        side,
        threads,
        sorted[0],
        sorted[sorted.length / 2],
        peak,
        Arrays.stream(losses).boxed().toList());
  }
}
