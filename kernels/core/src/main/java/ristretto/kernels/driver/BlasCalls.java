package ristretto.kernels.driver;

import java.util.Arrays;
import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * A product as calls of a library, each for all matrices along the batch dimensions that go on
 * evenly.
 */
public final class BlasCalls {
  /** Multiply-adds up to which a call of cuBLAS costs more than it is faster. */
  private static final long TINY = 1L << 18;

  /** Inner size up to which a tile's work is short: our kernels do not share it out. */
  private static final long SHALLOW = 128;

  private final Kernel.Gemm product;
  private final BlasMatrix a;
  private final BlasMatrix b;
  private final BlasMatrix c;

  /** Batch dimensions but those that one call goes along. */
  private final long[] outer;

  private final long matrices;

  /**
   * @param product whose matrices {@linkplain #fits fit}
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

  /** Whether libraries take its matrices: rows, or columns, that do not overlap. */
  public static boolean fits(Kernel.Gemm k) {
    return k.m() * k.n() * k.k() * k.batch().product() > 0
        && BlasMatrix.fits(k.a(), k.m(), k.k())
        && BlasMatrix.fits(k.b(), k.k(), k.n())
        && BlasMatrix.fits(k.c(), k.m(), k.n())
        && !BlasMatrix.of(k.c(), k.m(), k.n()).transposed();
  }

  /** Whether a product is large enough for cuBLAS to be faster than our kernels. */
  public static boolean cublasPays(Kernel.Gemm k) {
    return k.k() > SHALLOW || k.m() * k.n() * k.k() * k.batch().product() > TINY;
  }

  /** From here on, batch dimensions go on evenly in all matrices: one step leads through them. */
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

  /** The left factor. */
  public BlasMatrix a() {
    return a;
  }

  /** The right factor. */
  public BlasMatrix b() {
    return b;
  }

  /** The result. */
  public BlasMatrix c() {
    return c;
  }

  /** How many calls there are. */
  public long count() {
    return Arrays.stream(outer).reduce(1, (x, y) -> x * y);
  }

  /** Matrices of one call, {@link BlasMatrix#step} apart. */
  public long matrices() {
    return matrices;
  }

  /** The element where call number {@code call} begins in {@code m}. */
  public long element(BlasMatrix m, long call) {
    long element = m.offset();
    for (int d = outer.length - 1; d >= 0; d--) {
      element += call % outer[d] * m.batch().get(d);
      call /= outer[d];
    }
    return element;
  }

  /** What the product is multiplied by, given a launch's numbers. */
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
