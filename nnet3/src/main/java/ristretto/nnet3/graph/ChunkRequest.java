package ristretto.nnet3.graph;

import java.util.ArrayList;
import java.util.List;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.Index;
import ristretto.nnet3.network.Nnet;

/** Builder of requests for chunks of consecutive frames. */
public final class ChunkRequest {
  private ChunkRequest() {}

  /**
   * Returns a request for rows of the node {@code output}, given rows of {@code input} and, if the
   * network has it, one row of {@code ivector} per sequence.
   *
   * @param firstInput time of the first input row
   * @param inputs number of input rows per sequence, one per time
   * @param firstOutput time of the first output row
   * @param outputs number of output rows per sequence, {@code stride} apart
   */
  public static ComputationRequest of(
      Nnet nnet,
      int sequences,
      int firstInput,
      int inputs,
      int firstOutput,
      int outputs,
      int stride) {
    var given = new ArrayList<ComputationRequest.Io>();
    given.add(rows("input", sequences, firstInput, inputs, 1));
    if (nnet.inputDim("ivector") > 0) {
      given.add(rows("ivector", sequences, 0, 1, 1));
    }
    ComputationRequest.Io wanted = rows("output", sequences, firstOutput, outputs, stride);
    return new ComputationRequest(given, List.of(wanted), false, false);
  }

  private static ComputationRequest.Io rows(
      String node, int sequences, int first, int count, int stride) {
    var rows = new ArrayList<Index>();
    for (int n = 0; n < sequences; n++) {
      for (int k = 0; k < count; k++) {
        rows.add(new Index(n, first + k * stride));
      }
    }
    return new ComputationRequest.Io(node, rows, false);
  }
}
