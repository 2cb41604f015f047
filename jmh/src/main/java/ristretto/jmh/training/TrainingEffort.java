package ristretto.jmh.training;

/**
 * How long to measure.
 *
 * @param warmNanos of each process, twice
 * @param samples of each process
 */
record TrainingEffort(long warmNanos, int samples) {
  static final TrainingEffort FULL = new TrainingEffort(4_000_000_000L, 40);
  static final TrainingEffort QUICK = new TrainingEffort(1_500_000_000L, 10);
}
