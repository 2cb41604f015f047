package ristretto.expr.memory;

import java.util.List;

/**
 * Allocation of the temporaries of a plan at offsets of buffers. The first buffers are the plan's
 * own; the others are results, free until they are written.
 *
 * @param all allocations in any order
 * @param bytes sizes of the plan's own buffers
 * @param results arguments that are the buffers after the plan's own
 */
public record MemoryPlan(List<Placement> all, List<Long> bytes, List<Integer> results) {
  public MemoryPlan {
    all = List.copyOf(all);
    bytes = List.copyOf(bytes);
    results = List.copyOf(results);
  }

  /**
   * Allocation of an argument.
   *
   * @param bytes bytes that the argument needs
   * @param whole true if the argument is the whole buffer, or a result from offset 0 on
   */
  public record Placement(int argument, int buffer, long offset, long bytes, boolean whole) {}

  /** Argument of the result that a buffer belongs to; -1 for a buffer of the plan's own. */
  public int result(int buffer) {
    return buffer < bytes.size() ? -1 : results.get(buffer - bytes.size());
  }

  /** Bytes of the plan's own buffers. */
  public long total() {
    long sum = 0;
    for (long b : bytes) {
      sum += b;
    }
    return sum;
  }
}
