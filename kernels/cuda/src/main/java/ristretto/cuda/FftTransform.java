package ristretto.cuda;

import java.util.List;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Routine;

/** Fourier transforms by cuFFT. */
final class FftTransform implements Task {
  private final Kernel.Fourier kernel;
  private final Cufft.Plan plan;

  FftTransform(Kernel.Fourier kernel, Cufft.Plan plan) {
    this.kernel = kernel;
    this.plan = plan;
  }

  /** Returns a routine without launches that describes the transforms among rendered kernels. */
  Routine routine() {
    return new Routine(
        "/* " + plan.words() + " of cuFFT */",
        List.of(),
        List.of(),
        plan.memory() == 0 ? List.of() : List.of(plan.memory()),
        List.of(kernel.toRe().buffer()));
  }

  @Override
  public void start(Buffer[] buffers, long[] scratch, long[] scalars) {
    long bytes = kernel.type() == ScalarType.F64 ? 8 : 4;
    long pairs = CudaDevice.address(buffers[kernel.re().buffer()]);
    plan.run(
        kernel.inverse(),
        pairs + bytes * kernel.re().map().offset(),
        scratch.length == 0 ? 0 : scratch[0]);
  }
}
