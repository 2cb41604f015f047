package ristretto.expr.measure;

import java.util.ArrayList;
import java.util.List;

/** Measures the time of a computation after a warm-up. */
public final class Stopwatch {
  /** Duration of the warm-up, since kernels run as scalar code until they are compiled. */
  private static final long WARM_UP_NANOS = 300_000_000L;

  /** Duration of the measurement, unless runs are so long that fewer than the least fit. */
  private static final long NANOS = 1_000_000_000L;

  /** Duration of a sample; shorter runs are timed together. */
  private static final long SAMPLE_NANOS = 500_000L;

  private static final int LEAST_SAMPLES = 3;
  private static final int MOST_SAMPLES = 1000;

  private Stopwatch() {}

  /**
   * Runs a body for about 1.3 seconds, or four times if that takes longer.
   *
   * @param synchronize waits for asynchronous work of the body
   */
  public static Timing measure(String name, long bytes, Runnable body, Runnable synchronize) {
    Timing.requireBytes(bytes);
    long start = System.nanoTime();
    long warmUps = 0;
    long last;
    do {
      long before = System.nanoTime();
      run(1, body, synchronize);
      last = Math.max(1, System.nanoTime() - before);
      warmUps++;
    } while (System.nanoTime() - start < WARM_UP_NANOS);
    long each = Math.max(1, Math.min(last, (System.nanoTime() - start) / warmUps));
    int together = (int) Math.max(1, SAMPLE_NANOS / each);
    List<Double> samples = new ArrayList<>();
    start = System.nanoTime();
    while (samples.size() < LEAST_SAMPLES
        || samples.size() < MOST_SAMPLES && System.nanoTime() - start < NANOS) {
      long before = System.nanoTime();
      run(together, body, synchronize);
      samples.add((System.nanoTime() - before) / 1e9 / together);
    }
    double[] sorted = samples.stream().mapToDouble(v -> v).sorted().toArray();
    return new Timing(
        name,
        (long) together * sorted.length,
        quantile(sorted, 0.5),
        quantile(sorted, 0.25),
        quantile(sorted, 0.75),
        bytes);
  }

  private static void run(int times, Runnable body, Runnable synchronize) {
    for (int k = 0; k < times; k++) {
      body.run();
    }
    synchronize.run();
  }

  /** Quantile of sorted numbers, interpolated. */
  static double quantile(double[] sorted, double q) {
    double at = q * (sorted.length - 1);
    int below = (int) at;
    double above = sorted[Math.min(below + 1, sorted.length - 1)];
    return sorted[below] + (at - below) * (above - sorted[below]);
  }
}
