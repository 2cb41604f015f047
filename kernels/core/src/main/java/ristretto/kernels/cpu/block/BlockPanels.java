package ristretto.kernels.cpu.block;

/**
 * Division of a product with many left rows: panels of rows of blocks, which are decoded, times
 * parts of the left rows. It does not depend on the number of threads.
 *
 * @param rows rows of blocks of a panel
 * @param left left rows of a part
 * @param parts number of parts of the left rows
 * @param count number of panels times parts
 */
record BlockPanels(long rows, long left, long parts, long count) {
  /** Elements of a decoded panel along the rows of blocks. */
  static final long DEPTH = 512;

  /**
   * Most results of a product that OpenBLAS multiplies without copying its operands, on processors
   * with AVX-512: up to twice as fast as with copies.
   */
  private static final long SMALL = 1200;

  /** Least rows of a panel, and most rows of one without copies. */
  private static final long LEAST_ROWS = 16;

  private static final long MOST_SMALL_ROWS = 64;

  /** Rows of a panel with copies, if there are enough for {@link #PANELS}. */
  private static final long LEAST_COPIED_ROWS = 96;

  private static final long MOST_COPIED_ROWS = 256;
  private static final long PANELS = 8;
  private static final long LEFT = 256;

  /**
   * Division of a product.
   *
   * @param m number of left rows
   * @param n rows of blocks
   */
  static BlockPanels of(long m, long n) {
    long least = SMALL / LEAST_ROWS;
    if (m > 2 * least) {
      long rows = Math.clamp(n / PANELS / 16 * 16, LEAST_COPIED_ROWS, MOST_COPIED_ROWS);
      return of(m, n, rows, Math.ceilDiv(m, LEFT));
    }
    long parts = m > least ? 2 : 1;
    long rows = Math.clamp(SMALL / Math.ceilDiv(m, parts) / 16 * 16, LEAST_ROWS, MOST_SMALL_ROWS);
    return of(m, n, rows, parts);
  }

  private static BlockPanels of(long m, long n, long rows, long parts) {
    return new BlockPanels(rows, Math.ceilDiv(m, parts), parts, Math.ceilDiv(n, rows) * parts);
  }
}
