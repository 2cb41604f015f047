package ristretto.nnet3.compile;

import ristretto.nnet3.Choices;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;

/**
 * What requests have in common that differ only in their sequences.
 *
 * @param graph what depends on what
 * @param steps the order
 */
record Structure(ComputationGraph graph, Steps steps) {
  /**
   * Of places.
   *
   * @throws ComputationException if the network cannot compute them
   */
  static Structure of(Nnet nnet, ComputationRequest places, Choices choices) {
    ComputationGraph graph = ComputationGraph.of(nnet, places);
    return new Structure(graph, Blocks.apply(graph, Steps.of(graph), choices.block()));
  }
}
