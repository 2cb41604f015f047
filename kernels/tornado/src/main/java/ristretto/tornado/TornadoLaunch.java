package ristretto.tornado;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.driver.DriverLaunch;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Routine;
import uk.ac.manchester.tornado.api.exceptions.TornadoBailoutRuntimeException;
import uk.ac.manchester.tornado.api.exceptions.TornadoRuntimeException;

/** Launch of a kernel's routine on a device of TornadoVM. */
final class TornadoLaunch extends DriverLaunch<Accelerator.Memory> {
  private final TornadoDevice device;
  private final List<Task> steps = new ArrayList<>();
  private final Accelerator.Memory[] scratch;

  TornadoLaunch(TornadoDevice device, Kernel kernel) {
    this(device, kernel, true);
  }

  private TornadoLaunch(TornadoDevice device, Kernel kernel, boolean counted) {
    BlasProduct product =
        kernel instanceof Kernel.Gemm k && device.library != null && device.library.takes(k)
            ? new BlasProduct(device.library, k)
            : null;
    Routine given = product == null ? null : product.routine();
    super(device, kernel, device.target, ".java", given, counted);
    this.device = device;
    scratch = new Accelerator.Memory[routine.scratch().size()];
    if (product != null) {
      steps.add(product);
    } else if (!routine.steps().isEmpty()) {
      synchronized (device.accelerator) {
        device.checkOpen(name);
        compile(kernel);
      }
    }
  }

  @Override
  protected Launch part(Kernel kernel) {
    return new TornadoLaunch(device, kernel, false);
  }

  private void compile(Kernel kernel) {
    Programs.Program program = program(device.programs, kernel);
    Accelerator.Memory constants = constants();
    for (Routine.Step step : routine.steps()) {
      Accelerator.Code code = program.entries().get(step.entry());
      steps.add(new StepLaunch(step, code, constants, device.empty()));
    }
  }

  @Override
  protected void start(Buffer[] buffers, long[] scalars) {
    for (int k = 0; k < scratch.length; k++) {
      scratch[k] = scratch(k);
    }
    try {
      for (int k = 0; k < steps.size(); k++) {
        steps.get(k).start(device.queue, buffers, scratch, scalars);
      }
    } catch (TornadoBailoutRuntimeException | TornadoRuntimeException e) {
      throw Failure.of(name, device.name(), e);
    }
  }
}
