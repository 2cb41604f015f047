package ristretto.nnet3.fit;

import java.util.List;
import ristretto.nnet3.network.Nnet;

/** Runs the jobs of iterations at the same time. */
public interface JobRunner extends AutoCloseable {
  /**
   * Runs the jobs of an iteration.
   *
   * @param before the network that all jobs train
   */
  TrainedNetworks run(List<TrainingJob> jobs, Nnet before);

  /**
   * Returns true if the jobs run on other machines. This one then evaluates the network of an
   * iteration while they train the next one.
   */
  boolean isRemote();

  /** Stops the workers. */
  @Override
  void close();
}
