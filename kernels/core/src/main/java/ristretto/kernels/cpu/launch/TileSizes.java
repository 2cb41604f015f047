package ristretto.kernels.cpu.launch;

/**
 * Tile sizes of a kernel.
 *
 * @param rows rows of a tile, in the second to last dimension
 * @param cols columns of a tile, in the last dimension
 * @param flat true if tiles consist of whole lines of the last dimension and a strip runs over all
 *     their elements as one row
 */
record TileSizes(long rows, long cols, boolean flat) {
  /** Elements of a tile with packed operands, a few of which fit into the L1 cache. */
  private static final long PACKED = 1024;

  /** Side of a tile with an operand that is contiguous along the other dimension. */
  private static final long TRANSPOSED = 64;

  /** Length below which lines are joined. */
  private static final long SHORT_LINE = 48;

  /** Most elements of a tile of direct operands. */
  private static final long DIRECT = 1 << 15;

  /** Least tiles per thread of a parallel kernel, for load balance. */
  private static final long TILES_A_THREAD = 8;

  /** Least elements of a tile of direct operands in a parallel kernel. */
  private static final long LEAST = 1 << 12;

  /**
   * Chooses the tile sizes of a kernel.
   *
   * @param threads number of threads that share the work
   */
  static TileSizes of(MapOperands operands, int threads) {
    long direct = DIRECT;
    if (threads > 1) {
      long share = operands.space.product(0, operands.space.rank()) / (TILES_A_THREAD * threads);
      direct = Math.clamp(share / PACKED * PACKED, LEAST, DIRECT);
    }
    return of(operands, direct);
  }

  private static TileSizes of(MapOperands operands, long most) {
    long[] extents = operands.space.extents;
    long m = extents[extents.length - 2];
    long n = extents[extents.length - 1];
    boolean direct = operands.direct(false);
    if (n < SHORT_LINE && m > 1) {
      // Joined lines: operands that are not contiguous across lines are packed.
      long rows = Math.min(m, Math.max(1, PACKED / n));
      return operands.direct(true)
          ? new TileSizes(Math.min(m, most / n), n, true)
          : new TileSizes(rows, n, true);
    }
    if (direct) {
      long cols = Math.min(n, most);
      return new TileSizes(Math.min(m, Math.max(1, most / cols)), cols, false);
    }
    if (operands.transposed() && m >= 8) {
      return new TileSizes(Math.min(m, TRANSPOSED), Math.min(n, TRANSPOSED), false);
    }
    long cols = Math.min(n, PACKED);
    return new TileSizes(Math.min(m, Math.max(1, PACKED / cols)), cols, false);
  }
}
