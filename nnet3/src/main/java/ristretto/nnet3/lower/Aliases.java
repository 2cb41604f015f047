package ristretto.nnet3.lower;

import java.util.function.ToDoubleFunction;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.graph.ComputationGraph;

/**
 * Component nodes that return their input, perhaps times a factor and without sums. Such a node
 * needs no memory: its readers read its sources directly.
 */
public final class Aliases {
  private final float[] factors;

  /** Returns the aliases of the forward pass. */
  static Aliases forward(ComputationGraph graph) {
    return new Aliases(graph, ComponentBase::factor);
  }

  /** Returns the aliases of the forward pass whose backward pass scales by the same factor. */
  static Aliases backward(ComputationGraph graph) {
    return new Aliases(graph, c -> c.backwardFactor() == c.factor() ? c.factor() : Float.NaN);
  }

  /** Returns no aliases. */
  public static Aliases none(ComputationGraph graph) {
    return new Aliases(graph, _ -> Float.NaN);
  }

  private Aliases(ComputationGraph graph, ToDoubleFunction<ComponentBase> factor) {
    factors = new float[graph.nodeCount()];
    for (int node = 0; node < factors.length; node++) {
      factors[node] =
          graph.nnet().node(node) instanceof Node.ComponentNode n
                  && onlyMoves(n.input())
                  && graph.request().inputs().stream().noneMatch(io -> io.name().equals(n.name()))
              ? (float) factor.applyAsDouble((ComponentBase) graph.nnet().component(n))
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
