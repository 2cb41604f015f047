package ristretto.tornado;

import ristretto.kernels.device.Buffer;
import ristretto.kernels.source.Routine;
import ristretto.kernels.source.Routine.Argument;

/** Launch of one entry point with its sizes. */
final class StepLaunch implements Task {
  private final Accelerator.Code code;
  private final Argument[] arguments;
  private final Object[] values;
  private final long[] global = new long[3];
  private final long[] local = new long[3];
  private final Accelerator.Memory empty;

  /**
   * Sets the arguments that do not change between launches.
   *
   * @param constants block of the routine's constants; null if there are none
   * @param empty placeholder for a buffer without memory, which the kernel does not read
   */
  StepLaunch(
      Routine.Step step,
      Accelerator.Code code,
      Accelerator.Memory constants,
      Accelerator.Memory empty) {
    this.code = code;
    this.empty = empty;
    arguments = step.arguments().toArray(Argument[]::new);
    values = new Object[arguments.length];
    for (int d = 0; d < 3; d++) {
      local[d] = step.group().get(d);
      global[d] = step.groups().get(d) * local[d];
    }
    for (int k = 0; k < arguments.length; k++) {
      switch (arguments[k]) {
        case Argument.Constants _ -> values[k] = constants;
        case Argument.Number n -> values[k] = n.value();
        case Argument.Memory _, Argument.Scratch _, Argument.Scalar _ -> {}
      }
    }
  }

  @Override
  public void start(
      Accelerator.Queue queue, Buffer[] buffers, Accelerator.Memory[] scratch, long[] scalars) {
    for (int k = 0; k < arguments.length; k++) {
      switch (arguments[k]) {
        case Argument.Memory m ->
            values[k] =
                buffers[m.buffer()] == null ? empty : TornadoDevice.memory(buffers[m.buffer()]);
        case Argument.Scratch s -> values[k] = scratch[s.number()];
        case Argument.Scalar s -> values[k] = scalars[s.argument()];
        case Argument.Constants _, Argument.Number _ -> {}
      }
    }
    queue.launch(code, values, global, local);
  }
}
