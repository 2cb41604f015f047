package ristretto.opencl;

import static org.jocl.CL.*;

import org.jocl.Pointer;
import org.jocl.Sizeof;
import org.jocl.cl_command_queue;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.source.Routine;
import ristretto.kernels.source.Routine.Argument;

/**
 * Launch of one kernel function with its sizes. The driver keeps arguments between launches, so
 * only arguments that changed since the previous launch are set.
 */
final class StepLaunch implements Task {
  private final cl_kernel function;
  private final Argument[] arguments;
  private final Object[] set;
  private final long[] global = new long[3];
  private final long[] local = new long[3];
  private final int rank;

  /**
   * Sets the arguments that do not change between launches.
   *
   * @param constants block of the routine's constants; null if there are none
   */
  StepLaunch(Routine.Step step, cl_kernel function, cl_mem constants) {
    this.function = function;
    this.arguments = step.arguments().toArray(Argument[]::new);
    this.set = new Object[arguments.length];
    int used = 1;
    for (int d = 0; d < 3; d++) {
      local[d] = step.group().get(d);
      global[d] = step.groups().get(d) * local[d];
      used = global[d] > 1 ? d + 1 : used;
    }
    rank = used;
    for (int k = 0; k < arguments.length; k++) {
      switch (arguments[k]) {
        case Argument.Constants _ -> setMemory(k, constants);
        case Argument.Number n -> setNumber(k, n.type() == ScalarType.I64, n.value());
        case Argument.Memory _, Argument.Scratch _, Argument.Scalar _ -> {}
      }
    }
  }

  private void setNumber(int k, boolean wide, long value) {
    Pointer number = wide ? Pointer.to(new long[] {value}) : Pointer.to(new int[] {(int) value});
    clSetKernelArg(function, k, wide ? 8 : 4, number);
  }

  private void setMemory(int k, cl_mem memory) {
    if (set[k] != memory || memory == null) {
      clSetKernelArg(function, k, Sizeof.cl_mem, memory == null ? null : Pointer.to(memory));
      set[k] = memory;
    }
  }

  private void setScalar(int k, Argument.Scalar s, long value) {
    if (set[k] instanceof Long last && last == value) {
      return;
    }
    setNumber(k, s.type() == ScalarType.I64 || s.type() == ScalarType.F64, value);
    set[k] = value;
  }

  @Override
  public void start(cl_command_queue queue, Buffer[] buffers, cl_mem[] scratch, long[] scalars) {
    for (int k = 0; k < arguments.length; k++) {
      switch (arguments[k]) {
        case Argument.Memory m -> {
          // Null for a buffer without memory, which the kernel does not read.
          setMemory(k, OpenClDevice.memory(buffers[m.buffer()]));
        }
        case Argument.Scratch s -> setMemory(k, scratch[s.number()]);
        case Argument.Scalar s -> setScalar(k, s, scalars[s.argument()]);
        case Argument.Constants _, Argument.Number _ -> {}
      }
    }
    clEnqueueNDRangeKernel(queue, function, rank, null, global, local, 0, null, null);
  }
}
