package ristretto.cuda;

import static ristretto.cuda.Library.LONG;
import static ristretto.cuda.Library.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Routine;
import ristretto.kernels.source.Routine.Argument;

/**
 * One kernel function with its sizes. Its arguments have their places in native memory; a launch
 * fills in what differs from the last one and calls the driver.
 */
final class StepLaunch {
  private final Driver driver;
  private final long function;
  private final long stream;
  private final Argument[] arguments;
  private final int[] groups = new int[3];
  private final int[] group = new int[3];

  /** A value of 8 bytes for each argument. */
  private final MemorySegment values;

  /** Where they are. */
  private final MemorySegment pointers;

  /**
   * @param constants address of the routine's block; 0 if there is none
   */
  StepLaunch(CudaDevice device, Routine.Step step, long function, long constants, Arena arena) {
    this.driver = device.hardware.driver();
    this.stream = device.stream.handle();
    this.function = function;
    arguments = step.arguments().toArray(Argument[]::new);
    for (int d = 0; d < 3; d++) {
      groups[d] = Math.toIntExact(step.groups().get(d));
      group[d] = Math.toIntExact(step.group().get(d));
    }
    values = arena.allocate(LONG, Math.max(1, arguments.length));
    pointers = arena.allocate(POINTER, Math.max(1, arguments.length));
    for (int k = 0; k < arguments.length; k++) {
      pointers.setAtIndex(POINTER, k, values.asSlice(8L * k));
      switch (arguments[k]) {
        case Argument.Constants _ -> values.setAtIndex(LONG, k, constants);
        case Argument.Number n -> setNumber(k, n.type(), n.value());
        case Argument.Memory _, Argument.Scratch _, Argument.Scalar _ -> {}
      }
    }
  }

  /** The lower half comes first in memory. */
  private void setNumber(int k, ScalarType type, long value) {
    values.setAtIndex(LONG, k, type.bytes() == 8 ? value : value & 0xffffffffL);
  }

  /** Returns the driver's status. */
  int start(Buffer[] buffers, long[] scratch, long[] scalars) {
    for (int k = 0; k < arguments.length; k++) {
      switch (arguments[k]) {
        case Argument.Memory m -> {
          // A buffer that nothing is read from may be missing.
          long address = buffers[m.buffer()] instanceof CudaBuffer b ? b.address() : 0;
          values.setAtIndex(LONG, k, address);
        }
        case Argument.Scratch s -> values.setAtIndex(LONG, k, scratch[s.number()]);
        case Argument.Scalar s -> setNumber(k, s.type(), scalars[s.argument()]);
        case Argument.Constants _, Argument.Number _ -> {}
      }
    }
    return driver.launchKernel(
        function, groups[0], groups[1], groups[2], group[0], group[1], group[2], stream, pointers);
  }
}
