package ristretto.tornado;

import java.util.List;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.driver.BlasCalls;
import ristretto.kernels.driver.BlasMatrix;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Routine;

/** Matrix product by cuBLAS. */
final class BlasProduct implements Task {
  private final CuBlas library;
  private final Kernel.Gemm k;
  private final BlasCalls calls;

  BlasProduct(CuBlas library, Kernel.Gemm k) {
    this.library = library;
    this.k = k;
    calls = new BlasCalls(k);
  }

  /** Returns a routine without launches that describes this product among rendered kernels. */
  Routine routine() {
    return new Routine(
        "/* SGEMM of cuBLAS */", List.of(), List.of(), List.of(), List.of(calls.c().buffer()));
  }

  @Override
  public void start(
      Accelerator.Queue queue, Buffer[] buffers, Accelerator.Memory[] scratch, long[] scalars) {
    double alpha = calls.alpha(scalars);
    for (long call = 0; call < calls.count(); call++) {
      // cuBLAS is column-major: C = A B in rows is C^T = B^T A^T in columns.
      CuBlas.Operand left = operand(calls.b(), buffers, call);
      CuBlas.Operand right = operand(calls.a(), buffers, call);
      CuBlas.Operand result = operand(calls.c(), buffers, call);
      queue.library(plan ->
          library.multiply(
              plan, k.n(), k.m(), k.k(), alpha, left, right, k.beta(), result, calls.matrices()));
    }
  }

  private CuBlas.Operand operand(BlasMatrix m, Buffer[] buffers, long call) {
    long start = library.address(TornadoDevice.memory(buffers[m.buffer()]));
    return new CuBlas.Operand(
        m.transposed(), start + 4 * calls.element(m, call), m.lead(), m.step());
  }
}
