package ristretto.cuda;

import java.util.List;
import java.util.Optional;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.driver.BlasCalls;
import ristretto.kernels.driver.BlasMatrix;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Routine;

/** Matrix product by cuBLASLt, with a fused bias and activation. */
final class LtProduct implements Task {
  private final Kernel.Gemm gemm;
  private final Epilogue epilogue;
  private final BlasMatrix a;
  private final BlasMatrix b;
  private final BlasMatrix d;
  private final CublasLt.Plan plan;
  private final long stream;

  private LtProduct(Kernel.Gemm gemm, Epilogue epilogue, CublasLt.Plan plan, long stream) {
    this.gemm = gemm;
    this.epilogue = epilogue;
    this.plan = plan;
    this.stream = stream;
    a = BlasMatrix.of(gemm.a(), gemm.m(), gemm.k());
    b = BlasMatrix.of(gemm.b(), gemm.k(), gemm.n());
    d = BlasMatrix.of(epilogue.target(), gemm.m(), gemm.n());
  }

  /** Prepares the product under the device's lock; empty if cuBLASLt does not support it. */
  static Optional<LtProduct> of(
      CublasLt library,
      Cublas.Session session,
      Kernel.Gemm g,
      Epilogue epilogue,
      boolean tf32,
      long stream) {
    BlasMatrix a = BlasMatrix.of(g.a(), g.m(), g.k());
    BlasMatrix b = BlasMatrix.of(g.b(), g.k(), g.n());
    BlasMatrix d = BlasMatrix.of(epilogue.target(), g.m(), g.n());
    long batch = g.batch().product();
    if (Math.max(Math.max(g.m(), g.n()), Math.max(g.k(), batch)) > Integer.MAX_VALUE
        || BlasCalls.along(g.batch().toArray(), List.of(a, b, d)) > 0) {
      return Optional.empty();
    }
    // cuBLASLt is column-major: D = A B in rows is D^T = B^T A^T in columns.
    return library
        .plan(
            session.handle(),
            session.workspace(),
            tf32,
            b.transposed(),
            a.transposed(),
            layout(b, g.k(), g.n()),
            layout(a, g.m(), g.k()),
            layout(d, g.m(), g.n()),
            batch,
            epilogue)
        .map(plan -> new LtProduct(g, epilogue, plan, stream));
  }

  private static CublasLt.Layout layout(BlasMatrix m, long rows, long columns) {
    return new CublasLt.Layout(
        m.transposed() ? rows : columns,
        m.transposed() ? columns : rows,
        m.lead(),
        m.step(),
        alignment(m.offset()));
  }

  /** Alignment in bytes of the element at {@code offset} in a buffer. */
  private static int alignment(long offset) {
    return (int) Math.min(256, 4 * Long.lowestOneBit(offset | 64));
  }

  /** Returns a routine without launches that describes this product among rendered kernels. */
  Routine routine() {
    return new Routine(
        "/* SGEMM of cuBLASLt with epilogue " + epilogue.code() + " */",
        List.of(),
        List.of(),
        List.of(),
        List.of(d.buffer()));
  }

  @Override
  public void start(Buffer[] buffers, long[] scratch, long[] scalars) {
    double scale =
        gemm.scale().map(v -> Float.intBitsToFloat((int) scalars[v.argument()])).orElse(1f);
    plan.multiply(
        (float) (gemm.alpha() * scale),
        address(b, buffers),
        address(a, buffers),
        address(d, buffers),
        epilogue
            .bias()
            .map(m -> CudaDevice.address(buffers[m.buffer()]) + 4 * m.map().offset())
            .orElse(0L),
        stream);
  }

  private static long address(BlasMatrix m, Buffer[] buffers) {
    return CudaDevice.address(buffers[m.buffer()]) + 4 * m.offset();
  }
}
