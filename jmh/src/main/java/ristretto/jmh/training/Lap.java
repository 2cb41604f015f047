package ristretto.jmh.training;

import java.util.Arrays;
import java.util.List;

/**
 * What was measured of one side with one number of threads.
 *
 * @param least nanoseconds a step, of all samples
 * @param median of them
 * @param peak most bytes of tensors; 0 if not known
 * @param losses of the first steps
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
