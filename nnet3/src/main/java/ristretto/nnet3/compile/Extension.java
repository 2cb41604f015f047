package ristretto.nnet3.compile;

import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Descriptor;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.Node;

/** A request that asks for more than others do. */
public final class Extension {
  private final Nnet nnet;
  private final ComputationGraph more;

  /**
   * Of requests of a network.
   *
   * @param large asks for more
   */
  public Extension(Nnet nnet, ComputationRequest large) {
    this.nnet = nnet;
    this.more = ComputationGraph.of(nnet, large);
  }

  /**
   * Whether the rows that {@code small} asks for depend on the same rows, in the same way, in the
   * larger request, which supplies those rows and more. Then they have the same values.
   */
  public boolean keepsReads(ComputationRequest small) {
    var kept = new KeptReads(ComputationGraph.of(nnet, small), more);
    for (int node = 0; node < nnet.nodes().size(); node++) {
      if (!kept.of(node)) {
        return false;
      }
    }
    return true;
  }

  /** What a row reads is a matter of which rows are there, of those that it might read. */
  private record KeptReads(ComputationGraph less, ComputationGraph more) {
    boolean of(int node) {
      RowSet rows = less.toCompute(node);
      RowSet given = less.needed().get(node).and(less.supplied().get(node));
      return rows.and(more.supplied().get(node)).isEmpty()
          && given.without(more.supplied().get(node)).isEmpty()
          && (rows.isEmpty() || of(less.nnet().node(node), node, rows));
    }

    private boolean of(Node node, int number, RowSet rows) {
      return switch (node) {
        case Node.InputNode _ -> true;
        case Node.DimRangeNode n -> same(rows, n.source().node());
        case Node.OutputNode n -> of(n.input(), rows);
        case Node.ComponentNode n -> {
          Component component = less.nnet().component(n);
          int inputs = number + less.nodeCount();
          yield component.isSimple()
              ? of(n.input(), rows)
              : same(FindRows.inputs(component, rows), inputs)
                  && of(n.input(), less.needed().get(inputs));
        }
      };
    }

    private boolean of(Descriptor d, RowSet rows) {
      boolean[] same = {true};
      DescriptorRows.dependencies(d, rows, (read, node) -> same[0] &= same(read, node));
      return same[0];
    }

    private boolean same(RowSet rows, int node) {
      RowSet before = less.computable().get(node).and(rows);
      RowSet after = more.computable().get(node).and(rows);
      return before.without(after).isEmpty() && after.without(before).isEmpty();
    }
  }
}
