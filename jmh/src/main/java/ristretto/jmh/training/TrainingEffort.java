package ristretto.jmh.training;

/**
 * Duration of training measurements.
 *
 * @param warmNanos duration of each of a process's two warm-ups
 * @param samples number of samples per process
 */
record TrainingEffort(long warmNanos, int samples) {
  static final TrainingEffort FULL = new TrainingEffort(4_000_000_000L, 40);
  static final TrainingEffort QUICK = new TrainingEffort(1_500_000_000L, 10);
}
