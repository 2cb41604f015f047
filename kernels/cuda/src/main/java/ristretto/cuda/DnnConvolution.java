package ristretto.cuda;

import java.util.List;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Routine;

/** Convolution by cuDNN. */
final class DnnConvolution implements Task {
  private final Kernel.Convolution kernel;
  private final Cudnn.Plan plan;
  private final long elementBytes;

  DnnConvolution(Kernel.Convolution kernel, Cudnn.Plan plan) {
    this.kernel = kernel;
    this.plan = plan;
    elementBytes = kernel.type() == ScalarType.F64 ? 8 : 4;
  }

  /** Returns a routine without launches that describes this convolution among rendered kernels. */
  Routine routine() {
    return new Routine(
        "/* " + plan.words() + " of cuDNN */",
        List.of(),
        List.of(),
        plan.memory() == 0 ? List.of() : List.of(plan.memory()),
        List.of(kernel.target().buffer()));
  }

  @Override
  public void start(Buffer[] buffers, long[] scratch, long[] scalars) {
    plan.run(
        address(kernel.image(), buffers),
        address(kernel.filter(), buffers),
        address(kernel.result(), buffers),
        scratch.length == 0 ? 0 : scratch[0]);
  }

  private long address(Operand.Memory m, Buffer[] buffers) {
    return CudaDevice.address(buffers[m.buffer()]) + elementBytes * m.map().offset();
  }
}
