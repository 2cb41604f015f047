package ristretto.kernels.cpu.gemm;

/**
 * Division of a matrix product into panels of rows or columns, which threads compute independently.
 * The bits of the result do not depend on the number of threads. Most panels depend on the sizes
 * alone. Row panels of a large product may depend on the number of threads, because OpenBLAS
 * computes an element identically whichever rows precede it, if panels start at multiples of {@link
 * #ROWS}: OpenBLAS processes rows in groups whose sizes divide {@link #ROWS}, and its other
 * decisions depend on columns and depth. A single thread then has no panels to pay for.
 *
 * @param byRows true for panels of rows, false for panels of columns
 * @param extent rows or columns of the product
 * @param count number of panels
 * @param grain divisor of the first row or column of each panel
 */
public record GemmPanels(boolean byRows, long extent, long count, long grain) {
  /** Least common multiple of the row groups in OpenBLAS's kernels (4, 6, 8, 12 and 24). */
  private static final long ROWS = 24;

  /** Rows that OpenBLAS packs at once on every processor, so that cutting there is free. */
  private static final long MOST_ROWS = 128 * ROWS;

  /** Vector lanes of OpenBLAS's kernels; panels that depend on sizes start at multiples of it. */
  private static final long LANES = 32;

  /** Least columns of a panel; with fewer, reading the left operand again costs too much. */
  private static final long COLUMNS = 192;

  /** Least multiply-adds of a panel whose operands are read in place. */
  private static final long IN_PLACE = 200_000;

  /** Least elements of the matrix in a panel of a product with a vector. */
  private static final long MATRIX = 1 << 17;

  /** Number of products in a batch from which a single product is not divided. */
  private static final long BATCH = 32;

  /** Most panels that depend on sizes alone; their number is always a power of two. */
  private static final long MOST = 64;

  /**
   * Divides one product of a batch into panels.
   *
   * @param transA true if the left operand is passed to OpenBLAS as transposed
   * @param transB true if the right operand is passed to OpenBLAS as transposed
   * @param threads limit of the number of panels where results do not depend on it
   */
  public static GemmPanels of(
      long m, long n, long k, boolean transA, boolean transB, long batches, int threads) {
    boolean byRows = m >= n;
    if (m == 1 || n == 1) {
      return bySize(byRows, Math.max(m, n), Math.max(m, n) * k / MATRIX, batches);
    }
    if (GemmBlocks.inPlace(m, n, k, transA, transB)) {
      return bySize(byRows, Math.max(m, n), m * n * k / IN_PLACE, batches);
    }
    if (4 * m < 3 * n) {
      return bySize(false, n, Math.max(n / COLUMNS, 2), batches);
    }
    long units = m / ROWS;
    long least = GemmBlocks.rowsNotInPlace(n, k, transA, transB);
    long most = units / Math.ceilDiv(least, ROWS);
    long count = Math.max(Math.ceilDiv(m, MOST_ROWS), Math.min(threads, most));
    return new GemmPanels(true, m, Math.max(1, count), ROWS);
  }

  /**
   * Divides a product into panels that depend on sizes alone.
   *
   * @param wanted limit of the number of panels, beyond which a panel is too small
   */
  private static GemmPanels bySize(boolean byRows, long extent, long wanted, long batches) {
    long most = batches >= BATCH ? 1 : Math.min(MOST, Math.min(wanted, extent / LANES));
    return new GemmPanels(byRows, extent, Long.highestOneBit(Math.max(1, most)), LANES);
  }

  /** Returns the first row or column of a panel; for {@code count}, the end of the last panel. */
  public long edge(long panel) {
    return panel == count ? extent : Math.ceilDiv(extent / grain * panel, count) * grain;
  }
}
