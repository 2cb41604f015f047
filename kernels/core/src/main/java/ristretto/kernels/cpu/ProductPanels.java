package ristretto.kernels.cpu;

/**
 * Cut of a matrix product into panels of rows or columns, which threads compute independently. The
 * bits of the result do not depend on the number of threads, for one of two reasons. Most panels
 * follow from the sizes alone. Panels of rows of a large product may follow from the number of
 * threads, because OpenBLAS computes an element the same way whatever rows come before, as long as
 * panels start at multiples of {@link #ROWS}: it treats rows in groups whose sizes divide that, and
 * all its other decisions depend on the columns and the depth. So one thread pays for no cuts.
 *
 * @param extent rows or columns of the product
 * @param count number of panels
 * @param grain divisor of the places where panels start
 */
record ProductPanels(boolean byRows, long extent, long count, long grain) {
  /** Least common multiple of the groups of rows in OpenBLAS's kernels (4, 6, 8, 12 and 24). */
  private static final long ROWS = 24;

  /** Rows that OpenBLAS packs at once on every processor; cutting there costs nothing. */
  private static final long MOST_ROWS = 128 * ROWS;

  /** Vector lanes of OpenBLAS's kernels, where panels by size start. */
  private static final long LANES = 32;

  /** Least columns of a panel for which reading the left operand again costs little. */
  private static final long COLUMNS = 192;

  /** Least multiply-adds of a panel whose operands are read in place. */
  private static final long IN_PLACE = 200_000;

  /** Least elements of the matrix in a panel of a product with a vector. */
  private static final long MATRIX = 1 << 17;

  /** Products of a batch from which one alone is not cut. */
  private static final long BATCH = 32;

  /** Most panels that follow from the sizes; a power of two, as are all numbers of them. */
  private static final long MOST = 64;

  /**
   * Panels of one product of a batch.
   *
   * @param transA the left operand is passed to OpenBLAS as transposed
   * @param threads upper bound of panels whose number results do not depend on
   */
  static ProductPanels of(
      long m, long n, long k, boolean transA, boolean transB, long batches, int threads) {
    boolean byRows = m >= n;
    if (m == 1 || n == 1) {
      return bySize(byRows, Math.max(m, n), Math.max(m, n) * k / MATRIX, batches);
    }
    if (ProductBlocks.inPlace(m, n, k, transA, transB)) {
      return bySize(byRows, Math.max(m, n), m * n * k / IN_PLACE, batches);
    }
    if (4 * m < 3 * n) {
      return bySize(false, n, Math.max(n / COLUMNS, 2), batches);
    }
    long units = m / ROWS;
    long least = ProductBlocks.rowsNotInPlace(n, k, transA, transB);
    long most = units / Math.ceilDiv(least, ROWS);
    long count = Math.max(Math.ceilDiv(m, MOST_ROWS), Math.min(threads, most));
    return new ProductPanels(true, m, Math.max(1, count), ROWS);
  }

  /**
   * @param wanted panels from which on each is too small
   */
  private static ProductPanels bySize(boolean byRows, long extent, long wanted, long batches) {
    long most = batches >= BATCH ? 1 : Math.min(MOST, Math.min(wanted, extent / LANES));
    return new ProductPanels(byRows, extent, Long.highestOneBit(Math.max(1, most)), LANES);
  }

  /** First row or column of a panel, or the end of the last. */
  long edge(long panel) {
    return panel == count ? extent : Math.ceilDiv(extent / grain * panel, count) * grain;
  }
}
