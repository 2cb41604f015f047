package ristretto.nnet3.analysis;

import java.util.List;
import java.util.Locale;

/**
 * Fused assignment: one kernel launch.
 *
 * @param number index in {@link Assignments#fused}
 * @param node node whose value the kernel computes, and the times
 * @param kernel name of the kernel
 * @param kind map, row, gemm, ..., or host
 * @param what description for reports
 * @param space extents of the iteration space; m, n and k for a product
 * @param reads elements that the kernel reads
 * @param writes elements that the kernel writes
 */
public record FusedAssignment(
    int number,
    String node,
    String kernel,
    String kind,
    String what,
    List<Long> space,
    List<Access> reads,
    List<Access> writes) {
  public FusedAssignment {
    space = List.copyOf(space);
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }

  /** Returns number, node and kernel, for messages. */
  String label() {
    return String.format(Locale.ROOT, "assignment %d (%s, %s)", number, node, kernel);
  }
}
