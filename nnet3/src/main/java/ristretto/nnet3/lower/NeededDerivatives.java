package ristretto.nnet3.lower;

import java.util.BitSet;
import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.ComputationGraph;
import ristretto.nnet3.step.GradientSink;

/**
 * Nodes whose derivatives are needed: inputs with a requested derivative, components with trained
 * parameters, and all nodes that depend on these.
 */
final class NeededDerivatives {
  private final ComputationGraph graph;
  private final BitSet nodes = new BitSet();

  NeededDerivatives(ComputationGraph graph, ComputationRequest request, GradientSink sink) {
    this.graph = graph;
    for (ComputationRequest.Io io : request.inputs()) {
      if (io.hasDeriv()) {
        nodes.set(graph.nnet().number(io.name()));
      }
    }
    if (request.needModelDerivative()) {
      for (int node = 0; node < graph.nodeCount(); node++) {
        if (graph.nnet().node(node) instanceof Node.ComponentNode n) {
          Component component = graph.nnet().component(n);
          nodes.set(node, nodes.get(node) || sink.wants(component));
        }
      }
    }
    spread();
  }

  private void spread() {
    int before;
    do {
      before = nodes.cardinality();
      for (int node = 0; node < graph.nodeCount(); node++) {
        if (!nodes.get(node)
            && graph.nnet().sources(graph.nnet().node(node)).stream().anyMatch(nodes::get)) {
          nodes.set(node);
        }
      }
    } while (nodes.cardinality() > before);
  }

  boolean contains(int node) {
    return nodes.get(node);
  }
}
