package ristretto.nnet3.compile;

import java.util.HashSet;
import java.util.Set;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Nnet;

/** Requests that ask for more than others do. */
public final class Extension {
  private Extension() {}

  /**
   * Whether the rows that {@code small} asks for depend on the same rows, in the same way, in
   * {@code large}, which supplies those rows and more. Then they have the same values.
   */
  public static boolean keepsReads(Nnet nnet, ComputationRequest small, ComputationRequest large) {
    RowGraph less = GraphBuilder.build(nnet, small);
    RowGraph more = GraphBuilder.build(nnet, large);
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
