package ristretto.opencl;

import static org.jocl.CL.*;

import java.util.ArrayList;
import java.util.List;
import org.jocl.CLException;
import org.jocl.Pointer;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import org.jocl.cl_program;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.driver.DriverLaunch;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Routine;

/** Launch of a kernel's routine on an OpenCL device. */
final class OpenClLaunch extends DriverLaunch<cl_mem> {
  private final OpenClDevice device;
  private final List<Task> steps = new ArrayList<>();
  private final cl_mem[] scratch;

  OpenClLaunch(OpenClDevice device, Kernel kernel) {
    this(device, kernel, true);
  }

  private OpenClLaunch(OpenClDevice device, Kernel kernel, boolean counted) {
    BlasProduct product =
        kernel instanceof Kernel.Gemm k && device.blast.takes(k) ? new BlasProduct(k) : null;
    Routine given = product == null ? null : product.routine();
    super(device, kernel, device.target, ".cl", given, counted);
    this.device = device;
    scratch = new cl_mem[routine.scratch().size()];
    if (product != null) {
      steps.add(product);
    } else if (!routine.steps().isEmpty()) {
      synchronized (device) {
        device.checkOpen(name);
        try {
          compile(kernel);
        } catch (CLException e) {
          throw device.failed(name, e);
        }
      }
    }
  }

  @Override
  protected Launch part(Kernel kernel) {
    return new OpenClLaunch(device, kernel, false);
  }

  private void compile(Kernel kernel) {
    cl_program program = program(device.programs, kernel);
    var resources = new Resources(device);
    CLEANER.register(this, resources);
    cl_mem constants = null;
    if (!routine.constants().isEmpty()) {
      long[] values = routine.constants().stream().mapToLong(v -> v).toArray();
      constants =
          clCreateBuffer(
              device.context,
              CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
              8L * values.length,
              Pointer.to(values),
              null);
      resources.constants = constants;
    }
    for (Routine.Step step : routine.steps()) {
      cl_kernel function = clCreateKernel(program, step.entry(), null);
      resources.functions.add(function);
      steps.add(new StepLaunch(step, function, constants));
    }
  }

  /** Driver objects released when the launch becomes unreachable. */
  private static final class Resources implements Runnable {
    private final OpenClDevice device;
    private final List<cl_kernel> functions = new ArrayList<>();
    private cl_mem constants;

    Resources(OpenClDevice device) {
      this.device = device;
    }

    @Override
    public void run() {
      synchronized (device) {
        functions.forEach(f -> clReleaseKernel(f));
        if (constants != null) {
          clReleaseMemObject(constants);
        }
      }
    }
  }

  @Override
  protected void start(Buffer[] buffers, long[] scalars) {
    for (int k = 0; k < scratch.length; k++) {
      scratch[k] = scratch(k);
    }
    try {
      // By index, to allocate no iterator per launch.
      for (int k = 0; k < steps.size(); k++) {
        steps.get(k).start(device.queue, buffers, scratch, scalars);
      }
    } catch (CLException e) {
      throw device.failed(name, e);
    }
  }
}
