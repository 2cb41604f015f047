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
 * Launch of one kernel function with its sizes. The arguments are kept in native memory; a launch
 * updates those that can change and calls the driver.
 */
final class StepLaunch implements Task {
  private final CudaDevice device;
  private final String name;
  private final long function;
  private final long stream;

  /**
   * Pairs of an argument's index and the number of its buffer; likewise for temporary buffers and
   * scalars below.
   */
  private final int[] memories;

  private final int[] scratches;
  private final int[] numbers;
  private final int[] groups = new int[3];
  private final int[] group = new int[3];

  /** Values of the arguments, 8 bytes each. */
  private final MemorySegment values;

  /** Address of the array of the arguments' addresses. */
  private final long pointers;

  /**
   * Lays out the arguments and sets those that never change.
   *
   * @param name name of the kernel
   * @param constants address of the routine's constants; 0 if there are none
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
      // A 4-byte argument reads the first half of its 8 bytes: the low half, in little-endian
      // order.
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
      // Address 0 for a buffer without memory, which the kernel does not read.
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
    // Keeps the arguments allocated until the driver has copied them.
    Reference.reachabilityFence(values);
  }
}
