package ristretto.nnet3.cluster;

import ristretto.nnet3.decode.UtteranceOutputs;

/** Outputs of utterances that a cluster computes. */
public interface ClusterOutputs extends UtteranceOutputs, AutoCloseable {
  /** Leaves the cluster. */
  @Override
  void close();
}
