package ristretto.nnet3.compile;

import ristretto.nnet3.Descriptor;
import ristretto.nnet3.Node;
import ristretto.nnet3.component.ComponentBase;

/**
 * Component nodes that pass on what they read, perhaps times a factor, without adding anything up:
 * they need no memory, because their readers can read what they read.
 */
final class Aliases {
  private final float[] factors;

  Aliases(ComputationGraph graph) {
    factors = new float[graph.nodeCount()];
    for (int node = 0; node < factors.length; node++) {
      factors[node] =
          graph.nnet().node(node) instanceof Node.ComponentNode n
                  && onlyMoves(n.input())
                  && graph.request().inputs().stream().noneMatch(io -> io.name().equals(n.name()))
              ? ((ComponentBase) graph.nnet().component(n)).factor()
              : Float.NaN;
    }
  }

  boolean isAlias(int node) {
    return !Float.isNaN(factors[node]);
  }

  float factor(int node) {
    return factors[node];
  }

  private static boolean onlyMoves(Descriptor d) {
    return !(d instanceof Descriptor.Sum)
        && !(d instanceof Descriptor.Const)
        && d.children().stream().allMatch(Aliases::onlyMoves);
  }
}
