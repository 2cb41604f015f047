package ristretto.nnet3.graph;

import java.util.List;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.network.Nnet;

/**
 * Dependency graph of one computation: the rows that outputs need, and the rows that each of them
 * reads. For a component that is not simple, the input rows that its descriptor gathers are
 * separate rows: their node number is that of the component node plus {@code nodeCount}.
 *
 * @param nnet the network
 * @param request supplied and wanted rows, shared by all sequences (see {@link
 *     RepresentativeSequence})
 * @param rows numbers of rows, including rows that are not needed
 * @param reads for each row the rows that it reads; null if it is not needed
 * @param supplied for each row, true if the user supplies it, needed or not
 * @param computable for each row, true if it has a value
 */
record RowGraph(
    Nnet nnet,
    ComputationRequest request,
    CindexTable rows,
    List<int[]> reads,
    boolean[] supplied,
    boolean[] computable) {

  int nodeCount() {
    return nnet.nodes().size();
  }

  boolean isNeeded(int row) {
    return reads.get(row) != null;
  }
}
