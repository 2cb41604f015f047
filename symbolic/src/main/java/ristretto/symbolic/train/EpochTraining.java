package ristretto.symbolic.train;

import java.util.Map;

/** Training of an epoch, for a {@link Trainer} whose steps something else computes. */
@FunctionalInterface
public interface EpochTraining {
  /**
   * Trains an epoch: leaves the trained tensors in the trainer's executor.
   *
   * @param epoch number of the epoch, from 0
   * @param measures receives {@code loss}, the mean over the examples, and other measures
   */
  void train(int epoch, Map<String, Double> measures);
}
