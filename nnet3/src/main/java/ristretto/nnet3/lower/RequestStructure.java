package ristretto.nnet3.lower;

import ristretto.nnet3.ComputationException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.graph.ComputationGraph;
import ristretto.nnet3.network.Nnet;

/**
 * Analysis shared by requests that differ only in their sequences.
 *
 * @param graph rows and their dependencies
 * @param steps the order of computation
 */
public record RequestStructure(ComputationGraph graph, Steps steps) {
  /**
   * Analyses a request whose rows are shared by all sequences.
   *
   * @throws ComputationException if the network cannot compute the outputs
   */
  public static RequestStructure of(
      Nnet nnet, ComputationRequest places, LoweringOptions lowering) {
    ComputationGraph graph = ComputationGraph.of(nnet, places);
    return new RequestStructure(
        graph, SplitIntoBlocks.apply(graph, Steps.of(graph), lowering.block()));
  }
}
