package ristretto.cuda;

import java.util.Arrays;
import java.util.List;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Routine;

/** A product by cuBLAS: one call for all matrices of the last batch dimension. */
final class BlasProduct implements Task {
  private final Products products;
  private final Kernel.Gemm k;
  private final boolean wide;
  private final Matrix a;
  private final Matrix b;
  private final Matrix c;

  /** Batch dimensions but those that one call goes along. */
  private final long[] outer;

  /** Matrices of one call. */
  private final long inner;

  BlasProduct(Products products, Kernel.Gemm k) {
    this.products = products;
    this.k = k;
    wide = k.type() == ScalarType.F64;
    a = Matrix.of(k.a(), k.m(), k.k());
    b = Matrix.of(k.b(), k.k(), k.n());
    c = Matrix.of(k.c(), k.m(), k.n());
    long[] batch = k.batch().toArray();
    int along = along(batch, List.of(a, b, c));
    outer = Arrays.copyOf(batch, along);
    inner = Arrays.stream(batch, along, batch.length).reduce(1, (x, y) -> x * y);
  }

  /** From here on, batch dimensions go on evenly in all matrices: one step leads through them. */
  static int along(long[] batch, List<Matrix> matrices) {
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

  /** What stands for it among rendered kernels. */
  Routine routine() {
    return new Routine(
        "/* " + (wide ? "DGEMM" : "SGEMM") + " of cuBLAS */",
        List.of(),
        List.of(),
        List.of(),
        List.of(c.buffer()));
  }

  @Override
  public void start(Buffer[] buffers, long[] scratch, long[] scalars) {
    int bytes = wide ? 8 : 4;
    double alpha = k.alpha() * scale(scalars);
    long calls = 1;
    for (long extent : outer) {
      calls *= extent;
    }
    for (long call = 0; call < calls; call++) {
      // Matrices in rows are transposed ones in columns, and so is their product.
      products
          .session()
          .multiply(
              wide,
              b.transposed(),
              a.transposed(),
              k.n(),
              k.m(),
              k.k(),
              alpha,
              address(b, buffers, call, bytes),
              b.lead(),
              step(b.batch()),
              address(a, buffers, call, bytes),
              a.lead(),
              step(a.batch()),
              k.beta(),
              address(c, buffers, call, bytes),
              c.lead(),
              step(c.batch()),
              inner);
    }
  }

  static long step(Longs batch) {
    return batch.size() == 0 ? 0 : batch.get(batch.size() - 1);
  }

  private long address(Matrix m, Buffer[] buffers, long call, int bytes) {
    long element = m.offset();
    for (int d = outer.length - 1; d >= 0; d--) {
      element += call % outer[d] * m.batch().get(d);
      call /= outer[d];
    }
    return ((CudaBuffer) buffers[m.buffer()]).address() + element * bytes;
  }

  private double scale(long[] scalars) {
    if (k.scale().isEmpty()) {
      return 1;
    }
    long bits = scalars[k.scale().get().argument()];
    return wide ? Double.longBitsToDouble(bits) : Float.intBitsToFloat((int) bits);
  }
}
