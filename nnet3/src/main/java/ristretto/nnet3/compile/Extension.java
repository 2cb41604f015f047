package ristretto.nnet3.compile;

import java.util.HashSet;
import java.util.Set;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;

/** A request that asks for more than others do. */
public final class Extension {
  private final Nnet nnet;
  private final RowGraph more;

  /**
   * Of requests of a network.
   *
   * @param large asks for more
   */
  public Extension(Nnet nnet, ComputationRequest large) {
    this.nnet = nnet;
    this.more = GraphBuilder.build(nnet, large);
  }

  /**
   * Whether the rows that {@code small} asks for depend on the same rows, in the same way, in the
   * larger request, which supplies those rows and more. Then they have the same values.
   */
  public boolean keepsReads(ComputationRequest small) {
    RowGraph less = GraphBuilder.build(nnet, small);
    for (int row = 0; row < less.rows().size(); row++) {
      if (less.isNeeded(row)) {
        int other = more.rows().find(less.rows().get(row));
        if (other < 0 || !more.isNeeded(other) || !reads(less, row).equals(reads(more, other))) {
          return false;
        }
      }
    }
    return true;
  }

  private static Set<Cindex> reads(RowGraph graph, int row) {
    var all = new HashSet<Cindex>();
    for (int read : graph.reads().get(row)) {
      all.add(graph.rows().get(read));
    }
    return all;
  }
}
