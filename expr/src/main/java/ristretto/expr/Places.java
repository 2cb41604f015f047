package ristretto.expr;

import java.util.List;

/**
 * Allocation of the temporaries of a plan at offsets of buffers. The first buffers are the plan's
 * own; the others are results, free until they are written.
 *
 * @param all allocations in any order
 * @param bytes sizes of the plan's own buffers
 * @param results arguments that are the buffers after the plan's own
 */
record Places(List<Place> all, List<Long> bytes, List<Integer> results) {
  Places {
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
  record Place(int argument, int piece, long offset, long bytes, boolean whole) {}

  /** Argument of the result that a buffer belongs to; -1 for a buffer of the plan's own. */
  int result(int piece) {
    return piece < bytes.size() ? -1 : results.get(piece - bytes.size());
  }

  /** Bytes of the plan's own buffers. */
  long total() {
    long sum = 0;
    for (long b : bytes) {
      sum += b;
    }
    return sum;
  }
}
