package ristretto.kernels.cpu;

/**
 * How large a kernel's tiles are.
 *
 * @param rows of the second to last dimension
 * @param cols of the last dimension
 * @param flat tiles are whole lines of the last dimension, and a strip runs over all their elements
 *     as one row
 */
record TileChoice(long rows, long cols, boolean flat) {
  /** Elements of a tile with packed operands: a few operands fit in the L1 cache. */
  private static final long PACKED = 1024;

  /** Side of a tile with an operand that is contiguous along the other dimension. */
  private static final long TRANSPOSED = 64;

  /** Lines shorter than this are worth joining. */
  private static final long SHORT_LINE = 48;

  /** A tile of directly reached operands: large, but many make a large kernel. */
  private static final long DIRECT = 1 << 15;

  /** Tiles a thread gets at least of a kernel that several share, so that none waits long. */
  private static final long TILES_A_THREAD = 8;

  /** Fewer elements are not worth a tile. */
  private static final long LEAST = 1 << 12;

  /**
   * @param threads that share the work
   */
  static TileChoice of(MapOperands operands, int threads) {
    long direct = DIRECT;
    if (threads > 1) {
      long share =
          operands.geometry.product(0, operands.geometry.rank()) / (TILES_A_THREAD * threads);
      direct = Math.clamp(share / PACKED * PACKED, LEAST, DIRECT);
    }
    return of(operands, direct);
  }

  private static TileChoice of(MapOperands operands, long most) {
    long[] extents = operands.geometry.extents;
    long m = extents[extents.length - 2];
    long n = extents[extents.length - 1];
    boolean direct = operands.direct(false);
    if (n < SHORT_LINE && m > 1) {
      // Lines are joined: what is not flat over them is packed.
      long rows = Math.min(m, Math.max(1, PACKED / n));
      return operands.direct(true)
          ? new TileChoice(Math.min(m, most / n), n, true)
          : new TileChoice(rows, n, true);
    }
    if (direct) {
      long cols = Math.min(n, most);
      return new TileChoice(Math.min(m, Math.max(1, most / cols)), cols, false);
    }
    if (operands.transposed() && m >= 8) {
      return new TileChoice(Math.min(m, TRANSPOSED), Math.min(n, TRANSPOSED), false);
    }
    long cols = Math.min(n, PACKED);
    return new TileChoice(Math.min(m, Math.max(1, PACKED / cols)), cols, false);
  }
}
