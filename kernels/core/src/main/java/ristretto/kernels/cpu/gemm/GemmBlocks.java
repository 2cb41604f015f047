package ristretto.kernels.cpu.gemm;

import java.util.Optional;
import ristretto.kernels.cpu.blas.OpenBlas;

/**
 * Block sizes of an F32 matrix product; each block of the result accumulates over slices of the
 * depth. OpenBLAS copies the operands of a product before multiplying, unless the product is small:
 * its AVX-512 kernels read small ones in place. Products with an operand of few rows, whose copies
 * take as long as the product, therefore take half the time in small blocks, and others that fit
 * into a cache up to a fifth less. Measured with OpenBLAS 0.3.31.
 *
 * <p>Extents depend only on the sizes, so that results do not depend on the number of threads.
 *
 * @param rows rows of a block
 * @param cols columns of a block
 * @param depth depth of a slice
 * @param sliced true if the depth is the outermost loop, false if it is the innermost
 */
public record GemmBlocks(long rows, long cols, long depth, boolean sliced) {
  /** Most multiply-adds of a product that OpenBLAS treats as small. */
  private static final long SMALL = 1_000_000;

  /** Most multiply-adds of a block, so that each of several threads has some blocks. */
  private static final long PART = 500_000;

  /** Most elements of the result of a small product with only the right operand transposed. */
  private static final long SMALL_TRANSPOSED = 1_200;

  /** Least depth of a small product with only the right operand transposed. */
  private static final long DEEP_TRANSPOSED = 32;

  /** Elements of all three matrices that fit into a second-level cache. */
  private static final long CACHED = 1 << 20;

  /** Number of rows or columns up to which copying an operand never pays. */
  private static final long FEW = 32;

  /** Most elements of the result of a product in slices, with a transposed left operand. */
  private static final long SLICED = 1 << 19;

  /** Least depth of a product in slices. */
  private static final long DEEP = 256;

  /** Columns up to which a right operand is read in place, independent of the number of rows. */
  private static final long NARROW = 192;

  /** Elements of a narrow right operand that fit into a second-level cache. */
  private static final long NARROW_CACHED = 3 << 17;

  /** Most depth of a block with a narrow right operand. */
  private static final long DEPTH_OF_NARROW = 160;

  /**
   * Elements of a left operand that stay in a second-level cache while several right operands are
   * read.
   */
  private static final long LEFT_CACHED = 1 << 17;

  private static final int WIDE_PANEL = 64;
  private static final int PANEL = 32;

  private static final long DEPTH = 128;
  private static final long DEPTH_OF_FEW = 256;
  private static final long ROWS = 128;

  /** Unit of extents where possible: the lanes of a vector. */
  private static final long LANES = 16;

  /** Chooses block sizes; empty if computing the product as a whole is better. */
  public static Optional<GemmBlocks> of(long m, long n, long k, boolean transA, boolean transB) {
    if (m == 1 || n == 1 || transA && transB || !OpenBlas.readsInPlace()) {
      return Optional.empty();
    }
    if (transB) {
      return transposed(m, n, k);
    }
    if (m * n * k <= PART) {
      return Optional.of(new GemmBlocks(m, n, k, false));
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
        : Optional.of(new GemmBlocks(rows, cols, depth, !cached));
  }

  /** Returns true if OpenBLAS computes a product of these sizes without copying its operands. */
  static boolean inPlace(long m, long n, long k, boolean transA, boolean transB) {
    boolean byDots = transB && !transA;
    return OpenBlas.readsInPlace()
        && m * n * k <= SMALL
        && (!byDots || m * n <= SMALL_TRANSPOSED && k >= DEEP_TRANSPOSED);
  }

  /** Returns the least number of rows from which {@link #inPlace} is false. */
  static long rowsNotInPlace(long n, long k, boolean transA, boolean transB) {
    if (!OpenBlas.readsInPlace()) {
      return 1;
    }
    long most = SMALL / (n * k);
    return 1 + (transB && !transA ? Math.min(most, SMALL_TRANSPOSED / n) : most);
  }

  /** Returns blocks of rows of the left operand; the narrow right operand stays in a cache. */
  private static GemmBlocks narrow(long m, long n, long k) {
    long depth = part(k, DEPTH_OF_NARROW, 1);
    return new GemmBlocks(part(m, SMALL / (n * depth), 1), n, depth, false);
  }

  /** Returns the panel width of {@link ristretto.kernels.device.Device#panelColumns}. */
  public static int panelColumns(long columns) {
    if (columns <= NARROW && columns % LANES == 0) {
      return (int) columns;
    }
    return columns % WIDE_PANEL == 0 ? WIDE_PANEL : PANEL;
  }

  /**
   * Returns the number of blocks of rows whose left operand stays in a cache while one right
   * operand after the other is read.
   */
  long rowsTogether(long k) {
    return Math.max(1, LEFT_CACHED / (rows * k));
  }

  /**
   * Returns true for deep products with small results, such as gradients of weights: all blocks of
   * a slice, which stays in a second-level cache, are computed before the next slice.
   */
  private static boolean isSliced(long m, long n, long k, boolean transA) {
    return transA && k >= DEEP && 2 * k >= Math.max(m, n) && m * n <= SLICED;
  }

  /**
   * Chooses block sizes for a transposed right operand, where elements are dot products of rows.
   */
  private static Optional<GemmBlocks> transposed(long m, long n, long k) {
    long few = Math.min(m, n);
    boolean pays = few <= 20 || few <= FEW && k >= 200 || few <= 2 * FEW && k >= 600;
    if (k < DEEP_TRANSPOSED || !pays) {
      return Optional.empty();
    }
    long other = part(Math.max(m, n), SMALL_TRANSPOSED / few, LANES);
    long depth = part(k, SMALL / (few * other), LANES);
    return Optional.of(
        m <= n ? new GemmBlocks(m, other, depth, false) : new GemmBlocks(other, n, depth, false));
  }

  /**
   * Divides an extent into parts of nearly one size; returns that size.
   *
   * @param most most extent of a part
   * @param unit divisor of the result if there are several parts and {@code most} is at least that
   *     large
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
