package ristretto.nnet3.compile;

import java.util.List;
import ristretto.nnet3.Component;
import ristretto.nnet3.Descriptor;
import ristretto.nnet3.Index;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Node;

/**
 * How far in time the rows of a network's nodes lie from what they read.
 *
 * @param optional the farthest that any node looks for what it can do without
 * @param all how far apart an output and what it depends on can be at most, if no node depends on
 *     itself
 * @param hasAlternatives whether a node reads something else where something is missing
 * @param isRecurrent whether a node depends on itself
 */
record Distances(int optional, int all, boolean hasAlternatives, boolean isRecurrent) {
  static Distances of(Nnet nnet) {
    long optional = 0;
    long all = 0;
    boolean alternatives = false;
    for (Node node : nnet.nodes()) {
      if (node.descriptor() != null) {
        int distance = of(node.descriptor());
        boolean failover = isAnywhere(Descriptor.Failover.class, node.descriptor());
        if (failover || isAnywhere(Descriptor.IfDefined.class, node.descriptor())) {
          optional = Math.max(optional, distance);
        }
        alternatives |= failover;
        all += distance;
      }
      if (node instanceof Node.ComponentNode n) {
        int distance = of(nnet.component(n));
        optional = Math.max(optional, distance);
        all += distance;
      }
    }
    boolean recurrent =
        Epochs.of(nnet).stream()
            .anyMatch(e -> e.length > 1 || nnet.sources(nnet.node(e[0])).contains(e[0]));
    return new Distances(bounded(optional), bounded(all), alternatives, recurrent);
  }

  private static int bounded(long distance) {
    return (int) Math.min(distance, Integer.MAX_VALUE);
  }

  /** What is read at a time that is fixed counts as read at once. */
  private static int of(Descriptor d) {
    int inner = d.children().stream().mapToInt(Distances::of).max().orElse(0);
    return switch (d) {
      case Descriptor.Offset o -> Math.abs(o.t()) + inner;
      case Descriptor.Round r -> r.modulus() - 1 + inner;
      case Descriptor.ReplaceIndex r when r.variable() == Descriptor.ReplaceIndex.Variable.T -> 0;
      default -> inner;
    };
  }

  private static int of(Component component) {
    return component
        .reach()
        .map(r -> Math.max(Math.abs(r.first()), Math.abs(r.last())))
        .orElseGet(() -> {
          List<Index> reads = component.inputIndexes(new Index(0, 0));
          return reads.stream().mapToInt(i -> Math.abs(i.t())).max().orElse(0);
        });
  }

  private static boolean isAnywhere(Class<? extends Descriptor> type, Descriptor d) {
    return type.isInstance(d) || d.children().stream().anyMatch(c -> isAnywhere(type, c));
  }
}
