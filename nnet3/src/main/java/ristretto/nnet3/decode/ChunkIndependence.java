package ristretto.nnet3.decode;

import java.util.List;
import ristretto.nnet3.Component;
import ristretto.nnet3.Index;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.network.Nnet;

/**
 * Test for networks whose outputs do not depend on chunk boundaries: no node reads rows only if
 * they exist, and none reads a fixed time, except from the node {@code ivector}.
 */
final class ChunkIndependence {
  private ChunkIndependence() {}

  static boolean holds(Nnet nnet) {
    for (Node node : nnet.nodes()) {
      if (node.descriptor() != null && !holds(node.descriptor())) {
        return false;
      }
      if (node instanceof Node.ComponentNode n && hasOptional(nnet.component(n))) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(Descriptor d) {
    return switch (d) {
      case Descriptor.IfDefined _, Descriptor.Failover _ -> false;
      case Descriptor.ReplaceIndex r -> isIvector(r.inner());
      case Descriptor.Source _,
          Descriptor.Append _,
          Descriptor.Sum _,
          Descriptor.Offset _,
          Descriptor.Switch _,
          Descriptor.Round _,
          Descriptor.Scale _,
          Descriptor.Const _ ->
          d.children().stream().allMatch(ChunkIndependence::holds);
    };
  }

  private static boolean isIvector(Descriptor d) {
    return d instanceof Descriptor.Source s
        ? s.name().equals("ivector")
        : d.children().size() == 1 && isIvector(d.children().get(0));
  }

  private static boolean hasOptional(Component component) {
    var at = new Index(0, 0);
    List<Index> reads = component.inputIndexes(at);
    return reads.stream()
        .anyMatch(read -> component.isComputable(at, other -> !other.equals(read), _ -> {}));
  }
}
