package ristretto.cuda;

import static ristretto.cuda.Library.LONG;
import static ristretto.cuda.Library.POINTER;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;
import java.util.stream.IntStream;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.source.Routine;
import ristretto.kernels.source.Routine.Argument;

/**
 * One kernel function with its sizes. Its arguments have their places in native memory; a launch
 * fills in what differs from the last one and calls the driver.
 */
final class StepLaunch implements Task {
  private final CudaDevice device;
  private final String name;
  private final long function;
  private final long stream;

  /** Pairs: the place of an argument, and the number of its buffer, temporary buffer or scalar. */
  private final int[] memories;

  private final int[] scratches;
  private final int[] numbers;
  private final int[] groups = new int[3];
  private final int[] group = new int[3];

  /** A value of 8 bytes for each argument. */
  private final MemorySegment values;

  /** Address of where they are. */
  private final long pointers;

  /**
   * @param name of the kernel
   * @param constants address of the routine's block; 0 if there is none
   */
  StepLaunch(
      CudaDevice device,
      String name,
      Routine.Step step,
      long function,
      long constants,
      Arena arena) {
    this.device = device;
    this.name = name;
    this.stream = device.stream.handle();
    this.function = function;
    List<Argument> arguments = step.arguments();
    for (int d = 0; d < 3; d++) {
      groups[d] = Math.toIntExact(step.groups().get(d));
      group[d] = Math.toIntExact(step.group().get(d));
    }
    values = arena.allocate(LONG, Math.max(1, arguments.size()));
    MemorySegment places = arena.allocate(POINTER, Math.max(1, arguments.size()));
    pointers = places.address();
    var memories = IntStream.builder();
    var scratches = IntStream.builder();
    var numbers = IntStream.builder();
    for (int k = 0; k < arguments.size(); k++) {
      places.setAtIndex(POINTER, k, values.asSlice(8L * k));
      // Of a value of 4 bytes, the lower half counts, which comes first in memory.
      switch (arguments.get(k)) {
        case Argument.Constants _ -> values.setAtIndex(LONG, k, constants);
        case Argument.Number n -> values.setAtIndex(LONG, k, n.value());
        case Argument.Memory m -> memories.add(k).add(m.buffer());
        case Argument.Scratch s -> scratches.add(k).add(s.number());
        case Argument.Scalar s -> numbers.add(k).add(s.argument());
      }
    }
    this.memories = memories.build().toArray();
    this.scratches = scratches.build().toArray();
    this.numbers = numbers.build().toArray();
  }

  @Override
  public void start(Buffer[] buffers, long[] scratch, long[] scalars) {
    for (int k = 0; k < memories.length; k += 2) {
      // A buffer that nothing is read from may be missing.
      long address = CudaDevice.address(buffers[memories[k + 1]]);
      values.setAtIndex(LONG, memories[k], address);
    }
    for (int k = 0; k < scratches.length; k += 2) {
      values.setAtIndex(LONG, scratches[k], scratch[scratches[k + 1]]);
    }
    for (int k = 0; k < numbers.length; k += 2) {
      values.setAtIndex(LONG, numbers[k], scalars[numbers[k + 1]]);
    }
    device.check(Calls.launchKernel(function, groups, group, stream, pointers), name);
    // The arguments are there until the driver has read them.
    Reference.reachabilityFence(values);
  }
}
