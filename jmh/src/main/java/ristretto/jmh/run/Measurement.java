package ristretto.jmh.run;

import java.util.Arrays;

/**
 * Times of one job in nanoseconds per call, with one sample per round.
 *
 * @param competitor name of the column
 * @param median median of the samples
 * @param least minimum of the samples
 * @param error largest relative error against double precision
 */
public record Measurement(String competitor, double median, double least, double error) {
  static Measurement of(String competitor, double[] samples, double error) {
    double[] sorted = samples.clone();
    Arrays.sort(sorted);
    int half = sorted.length / 2;
    double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
    return new Measurement(competitor, median, sorted[0], error);
  }
}
