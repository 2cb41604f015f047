package ristretto.jmh.run;

/**
 * How long to measure. Many short samples: on a machine that does other things too, the least of
 * them is a time without interruption.
 *
 * @param sampleNanos least length of a sample; a longer call is its own sample
 * @param mostSamples of one competitor
 * @param budgetNanos after which a competitor has enough samples, once it has {@link
 *     #LEAST_SAMPLES}
 * @param warmNanos length of the warm-up of each competitor
 */
public record Effort(long sampleNanos, int mostSamples, long budgetNanos, long warmNanos) {
  static final int LEAST_SAMPLES = 3;

  public static final Effort FULL = new Effort(2_000_000L, 40, 300_000_000L, 300_000_000L);
  public static final Effort QUICK = new Effort(1_000_000L, 25, 100_000_000L, 150_000_000L);

  /** Samples of a competitor whose call takes {@code callNanos}. */
  int samples(double callNanos) {
    double each = Math.max(callNanos, sampleNanos);
    return (int) Math.clamp(budgetNanos / each, LEAST_SAMPLES, mostSamples);
  }
}
