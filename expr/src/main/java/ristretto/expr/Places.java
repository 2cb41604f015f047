package ristretto.expr;

import java.util.List;

/**
 * Where the temporaries of a plan lie: each at an offset of a piece of memory. The first pieces are
 * the plan's own; the others are results, which are free until they are written.
 *
 * @param all in any order
 * @param bytes of each piece of its own
 * @param results arguments that are the pieces after these
 */
record Places(List<Place> all, List<Long> bytes, List<Integer> results) {
  Places {
    all = List.copyOf(all);
    bytes = List.copyOf(bytes);
    results = List.copyOf(results);
  }

  /**
   * The place of an argument.
   *
   * @param bytes as many as the argument needs
   * @param whole whether it is the whole piece, or a result from its beginning on
   */
  record Place(int argument, int piece, long offset, long bytes, boolean whole) {}

  /** The result in whose memory a temporary of this piece lies; -1 if the piece is none. */
  int result(int piece) {
    return piece < bytes.size() ? -1 : results.get(piece - bytes.size());
  }

  /** Bytes of its own pieces. */
  long total() {
    long sum = 0;
    for (long b : bytes) {
      sum += b;
    }
    return sum;
  }
}
