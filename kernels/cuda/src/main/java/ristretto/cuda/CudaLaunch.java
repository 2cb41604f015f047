package ristretto.cuda;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import jcuda.driver.CUevent;
import jcuda.driver.CUevent_flags;
import jcuda.driver.JCudaDriver;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.driver.DriverLaunch;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Routine;

/** Launch of a kernel's routine on a GPU. */
final class CudaLaunch extends DriverLaunch<Handles.Memory> {
  private final CudaDevice device;
  private final long[] scratch;
  private Programs.Program program;
  private Task[] steps = {};

  CudaLaunch(CudaDevice device, Kernel kernel) {
    this(device, kernel, true);
  }

  private CudaLaunch(CudaDevice device, Kernel kernel, boolean counted) {
    Task product =
        switch (kernel) {
          case Kernel.Convolution k -> device.convolutions.task(k);
          case Kernel.Fourier k -> device.transforms.task(k);
          default -> device.products.task(kernel);
        };
    Routine given =
        switch (product) {
          case BlasProduct p -> p.routine();
          case LtProduct p -> p.routine();
          case DnnConvolution c -> c.routine();
          case FftTransform t -> t.routine();
          case null, default -> null;
        };
    super(device, kernel, device.target, ".cu", given, counted);
    this.device = device;
    scratch = new long[routine.scratch().size()];
    if (product != null) {
      steps = new Task[] {product};
    } else if (!routine.steps().isEmpty()) {
      synchronized (device) {
        device.checkOpen(name);
        device.enter();
        compile(kernel);
      }
    }
  }

  @Override
  protected Launch part(Kernel kernel) {
    return new CudaLaunch(device, kernel, false);
  }

  private void compile(Kernel kernel) {
    program = program(device.programs, kernel);
    Handles.Memory block = constants();
    long constants = block == null ? 0 : block.address();
    Arena arena = Arena.ofAuto();
    var all = new ArrayList<Task>();
    for (Routine.Step step : routine.steps()) {
      long function = program.function(step.entry()).handle();
      all.add(new StepLaunch(device, name, step, function, constants, arena));
    }
    steps = all.toArray(Task[]::new);
  }

  boolean isProduct() {
    return steps.length > 0 && (steps[0] instanceof BlasProduct || steps[0] instanceof LtProduct);
  }

  @Override
  protected void start(Buffer[] buffers, long[] scalars) {
    for (int k = 0; k < scratch.length; k++) {
      scratch[k] = scratch(k).address();
    }
    start(buffers, scratch, scalars);
  }

  /**
   * Enqueues the work on the stream, without checks.
   *
   * @param scratch addresses of temporary buffers
   */
  void start(Buffer[] buffers, long[] scratch, long[] scalars) {
    for (Task step : steps) {
      step.start(buffers, scratch, scalars);
    }
  }

  /** Measures the launch on the GPU with events, in nanoseconds. */
  @Override
  protected long time(Buffer[] buffers, long[] scalars) {
    var before = new CUevent();
    var after = new CUevent();
    JCudaDriver.cuEventCreate(before, CUevent_flags.CU_EVENT_DEFAULT);
    JCudaDriver.cuEventCreate(after, CUevent_flags.CU_EVENT_DEFAULT);
    try {
      device.finish(name);
      device.check(JCudaDriver.cuEventRecord(before, device.stream), name);
      startWithScratch(buffers, scalars);
      device.check(JCudaDriver.cuEventRecord(after, device.stream), name);
      device.check(JCudaDriver.cuEventSynchronize(after), name);
      float[] millis = new float[1];
      device.check(JCudaDriver.cuEventElapsedTime(millis, before, after), name);
      return (long) (millis[0] * 1e6);
    } finally {
      JCudaDriver.cuEventDestroy(before);
      JCudaDriver.cuEventDestroy(after);
    }
  }
}
