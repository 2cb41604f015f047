package ristretto.nnet3.fit;

import java.util.List;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.ObjectiveTotals;

/** Networks that the jobs of an iteration have trained, by number of the job. */
public interface TrainedNetworks extends AutoCloseable {
  /** Objectives during training. */
  List<ObjectiveTotals.Value> objectives();

  /** Returns a network. */
  Nnet network(int job);

  /**
   * Returns the average of networks. It has the same bits whenever and wherever the networks were
   * trained.
   *
   * @param jobs at least one
   */
  Nnet average(List<Integer> jobs);

  /** Frees the networks. */
  @Override
  void close();
}
