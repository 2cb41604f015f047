package ristretto.jmh.run;

/**
 * Duration of measurements. It consists of many short samples: on a busy machine, the minimum of
 * the samples is a time without interruption.
 *
 * @param sampleNanos minimum duration of a sample; a longer call is its own sample
 * @param mostSamples maximum number of samples per competitor
 * @param budgetNanos total duration of a competitor's samples, but at least {@link #LEAST_SAMPLES}
 *     samples
 * @param warmNanos duration of each competitor's warm-up
 */
public record Effort(long sampleNanos, int mostSamples, long budgetNanos, long warmNanos) {
  static final int LEAST_SAMPLES = 3;

  public static final Effort FULL = new Effort(2_000_000L, 40, 300_000_000L, 300_000_000L);
  public static final Effort QUICK = new Effort(1_000_000L, 25, 100_000_000L, 150_000_000L);

  /** Number of samples of a competitor whose call takes {@code callNanos}. */
  int samples(double callNanos) {
    double each = Math.max(callNanos, sampleNanos);
    return (int) Math.clamp(budgetNanos / each, LEAST_SAMPLES, mostSamples);
  }
}
