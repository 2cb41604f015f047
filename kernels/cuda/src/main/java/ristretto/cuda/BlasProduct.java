package ristretto.cuda;

import java.util.List;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.driver.BlasCalls;
import ristretto.kernels.driver.BlasMatrix;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Routine;

/** Matrix product by cuBLAS. */
final class BlasProduct implements Task {
  private final Products products;
  private final Kernel.Gemm k;
  private final boolean wide;
  private final BlasCalls calls;

  BlasProduct(Products products, Kernel.Gemm k) {
    this.products = products;
    this.k = k;
    wide = k.type() == ScalarType.F64;
    calls = new BlasCalls(k);
  }

  /** Returns a routine without launches that describes this product among rendered kernels. */
  Routine routine() {
    return new Routine(
        "/* " + (wide ? "DGEMM" : "SGEMM") + " of cuBLAS */",
        List.of(),
        List.of(),
        List.of(),
        List.of(calls.c().buffer()));
  }

  @Override
  public void start(Buffer[] buffers, long[] scratch, long[] scalars) {
    double alpha = calls.alpha(scalars);
    for (long call = 0; call < calls.count(); call++) {
      // cuBLAS is column-major: C = A B in rows is C^T = B^T A^T in columns.
      products
          .session()
          .multiply(
              wide,
              calls.b().transposed(),
              calls.a().transposed(),
              k.n(),
              k.m(),
              k.k(),
              alpha,
              address(calls.b(), buffers, call),
              calls.b().lead(),
              calls.b().step(),
              address(calls.a(), buffers, call),
              calls.a().lead(),
              calls.a().step(),
              k.beta(),
              address(calls.c(), buffers, call),
              calls.c().lead(),
              calls.c().step(),
              calls.matrices());
    }
  }

  private long address(BlasMatrix m, Buffer[] buffers, long call) {
    return CudaDevice.address(buffers[m.buffer()]) + calls.element(m, call) * (wide ? 8 : 4);
  }
}
