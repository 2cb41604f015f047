package ristretto.nnet3.compile;

import java.util.List;
import ristretto.nnet3.Cindex;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.Nnet;

/**
 * What depends on what, in one computation: the rows that outputs need, and of each the rows that
 * it reads. What a component node reads through its descriptor is a row of its own where the
 * component is not simple: its node number is that of the component node plus {@code nodeCount}.
 *
 * @param nnet the network
 * @param request places (see {@link Sequences}) supplied and wanted
 * @param rows numbers of rows; not all of them are needed
 * @param reads for each row the rows that it reads; null where it is not needed
 * @param supplied the rows that the user supplies, needed or not
 * @param computable whether each row has a value
 */
record RowGraph(
    Nnet nnet,
    ComputationRequest request,
    Cindexes rows,
    List<int[]> reads,
    boolean[] supplied,
    boolean[] computable) {

  int nodeCount() {
    return nnet.nodes().size();
  }

  boolean isNeeded(int row) {
    return reads.get(row) != null;
  }

  /** Whether a row of a node has a value that may be read. */
  boolean isAvailable(Cindex c) {
    int row = rows.find(c);
    return row >= 0 && computable[row];
  }

  /** Whether what a component node reads has a value at an index. */
  boolean isInputAvailable(int node, Index index) {
    return isAvailable(new Cindex(node + nodeCount(), index));
  }
}
