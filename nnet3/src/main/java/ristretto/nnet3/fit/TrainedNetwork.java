package ristretto.nnet3.fit;

import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.ObjectiveTotals;

/**
 * Network that a job has trained.
 *
 * @param objective objective during training
 */
public record TrainedNetwork(Nnet nnet, ObjectiveTotals.Value objective) {}
