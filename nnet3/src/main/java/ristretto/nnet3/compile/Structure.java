package ristretto.nnet3.compile;

import ristretto.nnet3.Choices;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;

/**
 * Analysis shared by requests that differ only in their sequences.
 *
 * @param graph rows and their dependencies
 * @param steps the order of computation
 */
record Structure(ComputationGraph graph, Steps steps) {
  /**
   * Analyses a request whose rows are shared by all sequences.
   *
   * @throws ComputationException if the network cannot compute the outputs
   */
  static Structure of(Nnet nnet, ComputationRequest places, Choices choices) {
    ComputationGraph graph = ComputationGraph.of(nnet, places);
    return new Structure(graph, Blocks.apply(graph, Steps.of(graph), choices.block()));
  }
}
