package ristretto.nnet3.graph;

import java.util.List;
import ristretto.nnet3.Component;
import ristretto.nnet3.Index;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.network.Nnet;

/**
 * Maximum time distances between the rows of a network's nodes and the rows they read.
 *
 * @param optional largest distance of an optional dependency (IfDefined, Failover, or a component's
 *     input)
 * @param all largest distance between an output and its dependencies, if no node depends on itself
 * @param hasAlternatives true if a descriptor has a Failover
 * @param isRecurrent true if a node depends on itself
 */
record TimeDistances(int optional, int all, boolean hasAlternatives, boolean isRecurrent) {
  static TimeDistances of(Nnet nnet) {
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
    return new TimeDistances(bounded(optional), bounded(all), alternatives, recurrent);
  }

  private static int bounded(long distance) {
    return (int) Math.min(distance, Integer.MAX_VALUE);
  }

  /** Returns the distance of a descriptor; a read at a fixed time counts as distance 0. */
  private static int of(Descriptor d) {
    int inner = d.children().stream().mapToInt(TimeDistances::of).max().orElse(0);
    return switch (d) {
      case Descriptor.Offset o -> Math.abs(o.t()) + inner;
      case Descriptor.Round r -> r.modulus() - 1 + inner;
      case Descriptor.ReplaceIndex r when r.variable() == Descriptor.ReplaceIndex.Variable.T -> 0;
      case Descriptor.Source _,
          Descriptor.Append _,
          Descriptor.Sum _,
          Descriptor.Failover _,
          Descriptor.IfDefined _,
          Descriptor.Switch _,
          Descriptor.ReplaceIndex _,
          Descriptor.Scale _,
          Descriptor.Const _ ->
          inner;
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
