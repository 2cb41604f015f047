package ristretto.opencl;

import static org.jocl.blast.CLBlastLayout.CLBlastLayoutRowMajor;
import static org.jocl.blast.CLBlastTranspose.CLBlastTransposeNo;
import static org.jocl.blast.CLBlastTranspose.CLBlastTransposeYes;

import java.util.List;
import org.jocl.blast.CLBlast;
import org.jocl.cl_command_queue;
import org.jocl.cl_mem;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.driver.BlasCalls;
import ristretto.kernels.driver.BlasMatrix;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Routine;

/** Matrix product by CLBlast, with one call per matrix of a batch. */
final class BlasProduct implements Task {
  private final Kernel.Gemm k;
  private final boolean wide;
  private final BlasCalls calls;

  BlasProduct(Kernel.Gemm k) {
    this.k = k;
    wide = k.type() == ScalarType.F64;
    calls = new BlasCalls(k);
  }

  /** Returns a routine without launches that describes this product among rendered kernels. */
  Routine routine() {
    return new Routine(
        "/* " + (wide ? "DGEMM" : "SGEMM") + " of CLBlast */",
        List.of(),
        List.of(),
        List.of(),
        List.of(calls.c().buffer()));
  }

  @Override
  public void start(cl_command_queue queue, Buffer[] buffers, cl_mem[] scratch, long[] scalars) {
    double alpha = calls.alpha(scalars);
    for (long call = 0; call < calls.count(); call++) {
      for (long i = 0; i < calls.matrices(); i++) {
        multiply(queue, buffers, alpha, call, i);
      }
    }
  }

  private static int transpose(BlasMatrix m) {
    return m.transposed() ? CLBlastTransposeYes : CLBlastTransposeNo;
  }

  private static cl_mem memory(BlasMatrix m, Buffer[] buffers) {
    return OpenClDevice.memory(buffers[m.buffer()]);
  }

  private void multiply(
      cl_command_queue queue, Buffer[] buffers, double alpha, long call, long matrix) {
    BlasMatrix a = calls.a();
    BlasMatrix b = calls.b();
    BlasMatrix c = calls.c();
    long inA = calls.element(a, call) + matrix * a.step();
    long inB = calls.element(b, call) + matrix * b.step();
    long inC = calls.element(c, call) + matrix * c.step();
    if (wide) {
      CLBlast.CLBlastDgemm(
          CLBlastLayoutRowMajor,
          transpose(a),
          transpose(b),
          k.m(),
          k.n(),
          k.k(),
          alpha,
          memory(a, buffers),
          inA,
          a.lead(),
          memory(b, buffers),
          inB,
          b.lead(),
          k.beta(),
          memory(c, buffers),
          inC,
          c.lead(),
          queue,
          null);
    } else {
      CLBlast.CLBlastSgemm(
          CLBlastLayoutRowMajor,
          transpose(a),
          transpose(b),
          k.m(),
          k.n(),
          k.k(),
          (float) alpha,
          memory(a, buffers),
          inA,
          a.lead(),
          memory(b, buffers),
          inB,
          b.lead(),
          (float) k.beta(),
          memory(c, buffers),
          inC,
          c.lead(),
          queue,
          null);
    }
  }
}
