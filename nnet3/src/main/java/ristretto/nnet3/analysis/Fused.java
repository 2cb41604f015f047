package ristretto.nnet3.analysis;

import java.util.List;
import java.util.Locale;

/**
 * A fused assignment: one kernel.
 *
 * @param number its place in {@link Assignments#fused}
 * @param node whose value it computes, and of which times
 * @param kernel the kernel's name
 * @param kind map, row, gemm, ..., or host
 * @param what for people: what it computes
 * @param space extents of what it goes over; of a product m, n and k
 */
public record Fused(
    int number,
    String node,
    String kernel,
    String kind,
    String what,
    List<Long> space,
    List<Access> reads,
    List<Access> writes) {
  public Fused {
    space = List.copyOf(space);
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }

  /** For messages: the number, the node and the kernel. */
  String label() {
    return String.format(Locale.ROOT, "assignment %d (%s, %s)", number, node, kernel);
  }
}
