package ristretto.nnet3.graph;

import ristretto.nnet3.Component;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.config.Descriptor;
import ristretto.nnet3.config.Node;
import ristretto.nnet3.network.Nnet;

/** Larger computation request to which smaller ones of the same network are compared. */
public final class RequestExtension {
  private final Nnet nnet;
  private final ComputationGraph more;

  /**
   * Analyses the larger request.
   *
   * @param large asks for more rows than the requests it is compared to
   */
  public RequestExtension(Nnet nnet, ComputationRequest large) {
    this.nnet = nnet;
    this.more = ComputationGraph.of(nnet, large);
  }

  /**
   * Returns true if every row that {@code small} computes depends on the same rows in the larger
   * request, so that it has the same value. The larger request must supply at least the rows that
   * {@code small} is supplied with.
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

  /**
   * Comparison of two graphs: a row reads the same rows if the same ones of its possible
   * dependencies are computable.
   */
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
