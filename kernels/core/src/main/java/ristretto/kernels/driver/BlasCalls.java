package ristretto.kernels.driver;

import java.util.Arrays;
import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * Calls of a BLAS library that compute one product. Each call covers the matrices of the trailing
 * batch dimensions that have a common step.
 */
public final class BlasCalls {
  /** Multiply-adds up to which the overhead of a cuBLAS call exceeds its gain. */
  private static final long TINY = 1L << 18;

  /**
   * Inner dimension up to which the work of a tile is short; our kernels do not split that
   * dimension.
   */
  private static final long SHALLOW = 128;

  private final Kernel.Gemm product;
  private final BlasMatrix a;
  private final BlasMatrix b;
  private final BlasMatrix c;

  /** Extents of the batch dimensions that are not covered by one call. */
  private final long[] outer;

  private final long matrices;

  /**
   * Plans the calls of a product.
   *
   * @param product product for which {@link #fits} returns true
   */
  public BlasCalls(Kernel.Gemm product) {
    this.product = product;
    a = BlasMatrix.of(product.a(), product.m(), product.k());
    b = BlasMatrix.of(product.b(), product.k(), product.n());
    c = BlasMatrix.of(product.c(), product.m(), product.n());
    long[] batch = product.batch().toArray();
    int along = along(batch, List.of(a, b, c));
    outer = Arrays.copyOf(batch, along);
    matrices = Arrays.stream(batch, along, batch.length).reduce(1, (x, y) -> x * y);
  }

  /**
   * Returns true if a BLAS library accepts the matrices: contiguous rows or columns that do not
   * overlap.
   */
  public static boolean fits(Kernel.Gemm k) {
    return k.m() * k.n() * k.k() * k.batch().product() > 0
        && BlasMatrix.fits(k.a(), k.m(), k.k())
        && BlasMatrix.fits(k.b(), k.k(), k.n())
        && BlasMatrix.fits(k.c(), k.m(), k.n())
        && !BlasMatrix.of(k.c(), k.m(), k.n()).transposed();
  }

  /** Returns true if a product is large enough for cuBLAS to be faster than our kernels. */
  public static boolean cublasPays(Kernel.Gemm k) {
    return k.k() > SHALLOW || k.m() * k.n() * k.k() * k.batch().product() > TINY;
  }

  /**
   * Returns the first of the trailing batch dimensions that one step enumerates in every matrix.
   */
  public static int along(long[] batch, List<BlasMatrix> matrices) {
    int last = batch.length - 1;
    int along = batch.length;
    long count = 1;
    while (along > 0) {
      int d = along - 1;
      long passed = count;
      boolean even =
          matrices.stream().allMatch(m -> m.batch().get(d) == m.batch().get(last) * passed);
      if (d < last && !even) {
        break;
      }
      along--;
      count *= batch[d];
    }
    return along;
  }

  /** Left operand. */
  public BlasMatrix a() {
    return a;
  }

  /** Right operand. */
  public BlasMatrix b() {
    return b;
  }

  /** Result. */
  public BlasMatrix c() {
    return c;
  }

  /** Number of calls. */
  public long count() {
    return Arrays.stream(outer).reduce(1, (x, y) -> x * y);
  }

  /** Number of matrices of one call, at distances of {@link BlasMatrix#step}. */
  public long matrices() {
    return matrices;
  }

  /** Returns the element of {@code m} at which call number {@code call} begins. */
  public long element(BlasMatrix m, long call) {
    long element = m.offset();
    for (int d = outer.length - 1; d >= 0; d--) {
      element += call % outer[d] * m.batch().get(d);
      call /= outer[d];
    }
    return element;
  }

  /** Returns the factor of the product: alpha times the launch scalar, if there is one. */
  public double alpha(long[] scalars) {
    if (product.scale().isEmpty()) {
      return product.alpha();
    }
    long bits = scalars[product.scale().get().argument()];
    return product.alpha()
        * (product.type() == ScalarType.F64
            ? Double.longBitsToDouble(bits)
            : Float.intBitsToFloat((int) bits));
  }
}
