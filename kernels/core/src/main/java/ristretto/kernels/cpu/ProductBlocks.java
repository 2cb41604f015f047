package ristretto.kernels.cpu;

import java.util.Optional;

/**
 * Extents of the parts in which a product of F32 matrices is computed, one after another along the
 * depth. OpenBLAS copies the operands of a product before it multiplies them, unless the product is
 * small: then, on processors with AVX-512, it reads them where they are. So products with an
 * operand of few rows, whose copies are as much work as the product, take half the time in small
 * parts, and others that fit into a cache up to a fifth less. Measured with OpenBLAS 0.3.31.
 *
 * <p>Extents follow from the sizes only, so that results do not depend on the number of threads.
 *
 * @param sliced the depth is the outermost loop, not the innermost
 */
record ProductBlocks(long rows, long cols, long depth, boolean sliced) {
  /** Multiply-adds up to which OpenBLAS takes a product as small. */
  private static final long SMALL = 1_000_000;

  /** Multiply-adds of a part, of which several threads have some each. */
  private static final long PART = 500_000;

  /** Elements of a result for that, if only the right operand is transposed. */
  private static final long SMALL_TRANSPOSED = 1_200;

  /** Depth from which such a product is worth it. */
  private static final long DEEP_TRANSPOSED = 32;

  /** Elements of all three matrices that stay in a second-level cache. */
  private static final long CACHED = 1 << 20;

  /** Rows or columns so few that no copy pays. */
  private static final long FEW = 32;

  /** Elements of a result up to which a transposed left operand is read in slices. */
  private static final long SLICED = 1 << 19;

  /** Depth from which it is. */
  private static final long DEEP = 256;

  /** Columns up to which a right operand is read in place, whatever the rest. */
  private static final long NARROW = 192;

  /** Elements of such an operand that stay in a second-level cache. */
  private static final long NARROW_CACHED = 3 << 17;

  /** Of its parts. */
  private static final long DEPTH_OF_NARROW = 160;

  /** Elements of a left operand that stay there while one panel after the other is read. */
  private static final long LEFT_CACHED = 1 << 17;

  private static final int WIDE_PANEL = 64;
  private static final int PANEL = 32;

  private static final long DEPTH = 128;
  private static final long DEPTH_OF_FEW = 256;
  private static final long ROWS = 128;

  /** Extents are multiples of it, where they can be: the lanes of a vector. */
  private static final long LANES = 16;

  /** Empty if the product is better computed as a whole. */
  static Optional<ProductBlocks> of(long m, long n, long k, boolean transA, boolean transB) {
    if (m == 1 || n == 1 || transA && transB || !OpenBlas.readsInPlace()) {
      return Optional.empty();
    }
    if (transB) {
      return transposed(m, n, k);
    }
    if (m * n * k <= PART) {
      return Optional.of(new ProductBlocks(m, n, k, false));
    }
    long few = Math.min(m, n);
    if (!transA && few > FEW && n <= NARROW && k * n <= NARROW_CACHED) {
      return Optional.of(narrow(m, n, k));
    }
    boolean cached = few <= FEW || m * k + k * n + m * n <= CACHED;
    if (!cached && !isSliced(m, n, k, transA)) {
      return Optional.empty();
    }
    long depth = part(k, few > FEW ? DEPTH : DEPTH_OF_FEW, 1);
    long most = PART / depth;
    long least = Math.min(m, ROWS);
    long cols = part(n, Math.max(4 * LANES, most / least / LANES * LANES), LANES);
    long rows = part(m, Math.max(1, most / cols), LANES);
    return rows * cols > most
        ? Optional.empty()
        : Optional.of(new ProductBlocks(rows, cols, depth, !cached));
  }

  /** Returns true if OpenBLAS has a kernel for such a product that copies no operands. */
  static boolean inPlace(long m, long n, long k, boolean transA, boolean transB) {
    boolean byDots = transB && !transA;
    return OpenBlas.readsInPlace()
        && m * n * k <= SMALL
        && (!byDots || m * n <= SMALL_TRANSPOSED && k >= DEEP_TRANSPOSED);
  }

  /** Least rows for which {@link #inPlace} is false, if it is false for more rows. */
  static long rowsNotInPlace(long n, long k, boolean transA, boolean transB) {
    if (!OpenBlas.readsInPlace()) {
      return 1;
    }
    long most = SMALL / (n * k);
    return 1 + (transB && !transA ? Math.min(most, SMALL_TRANSPOSED / n) : most);
  }

  /** Rows of the left operand pass by a right operand that stays in a cache. */
  private static ProductBlocks narrow(long m, long n, long k) {
    long depth = part(k, DEPTH_OF_NARROW, 1);
    return new ProductBlocks(part(m, SMALL / (n * depth), 1), n, depth, false);
  }

  /** See {@link ristretto.kernels.device.Device#panelColumns}. */
  static int panelColumns(long columns) {
    if (columns <= NARROW && columns % LANES == 0) {
      return (int) columns;
    }
    return columns % WIDE_PANEL == 0 ? WIDE_PANEL : PANEL;
  }

  /** Parts of rows that stay in a cache while one right operand after the other is read. */
  long rowsTogether(long k) {
    return Math.max(1, LEFT_CACHED / (rows * k));
  }

  /**
   * Gradients of weights are deep products with small results: all parts of a slice that stays in a
   * second-level cache come before the next slice.
   */
  private static boolean isSliced(long m, long n, long k, boolean transA) {
    return transA && k >= DEEP && 2 * k >= Math.max(m, n) && m * n <= SLICED;
  }

  /** With a transposed right operand: dot products of rows. */
  private static Optional<ProductBlocks> transposed(long m, long n, long k) {
    long few = Math.min(m, n);
    boolean pays = few <= 20 || few <= FEW && k >= 200 || few <= 2 * FEW && k >= 600;
    if (k < DEEP_TRANSPOSED || !pays) {
      return Optional.empty();
    }
    long other = part(Math.max(m, n), SMALL_TRANSPOSED / few, LANES);
    long depth = part(k, SMALL / (few * other), LANES);
    return Optional.of(
        m <= n
            ? new ProductBlocks(m, other, depth, false)
            : new ProductBlocks(other, n, depth, false));
  }

  /**
   * Parts of nearly one size.
   *
   * @param most extent of a part
   * @param unit what the extent is a multiple of, if there are several parts and {@code most} is
   *     that large
   */
  private static long part(long extent, long most, long unit) {
    if (extent <= most) {
      return extent;
    }
    long even = Math.ceilDiv(extent, Math.ceilDiv(extent, most));
    long rounded = Math.ceilDiv(even, unit) * unit;
    return rounded <= most ? rounded : Math.max(1, most < unit ? most : most / unit * unit);
  }

  long parts(long m, long n) {
    return Math.ceilDiv(m, rows) * Math.ceilDiv(n, cols);
  }
}
