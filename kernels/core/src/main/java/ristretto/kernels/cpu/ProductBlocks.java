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
