package ristretto.kernels.cpu.strip;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.scalar.Function;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;

/**
 * Copy of the first elements of a strip's operands, on which vector code runs before it is used on
 * the user's memory. Real data makes loops end and branches go as they will in use. The memory is
 * freed with this object.
 */
final class SampleOperands {
  /** Elements of a long run: whole strips and a rest; repeated if the operands have fewer. */
  private static final int ELEMENTS = Strip.LENGTH + 7;

  /** Elements of a long run with calls of functions that loop, which may take long per element. */
  private static final int ELEMENTS_WITH_CALLS = 71;

  /** Elements of a short run: one vector and a rest, for any width. */
  static final int FEW = 39;

  private final long[] pointers;
  private final long[] strides;
  private final long scratch;
  private final MemorySegment memory;
  private final int elements;

  private SampleOperands(long[] pointers, long scratch, MemorySegment memory, int elements) {
    this.pointers = pointers;
    this.strides = new long[pointers.length];
    this.scratch = scratch;
    this.memory = memory;
    this.elements = elements;
  }

  /** Copies operands with at least one row and one element. */
  static SampleOperands of(StripSpec spec, int scratchBytes, long[] pointers, int n) {
    boolean calls =
        spec.tape().nodes().stream()
            .anyMatch(node -> node instanceof Node.Call c && loops(c.function()));
    boolean indexed = spec.inputs().contains(StripSpec.Access.INDEX);
    int elements = calls ? ELEMENTS_WITH_CALLS : ELEMENTS;
    if (calls && indexed) {
      // A loop need not end for an index beyond the operands.
      elements = Math.min(n, elements);
    }
    long operand = (GatheredLines.BYTES + ELEMENTS * 8L + 63) & -64;
    MemorySegment memory =
        Arena.ofAuto().allocate(operand * pointers.length + scratchBytes + 64, 64);
    long[] copies = new long[pointers.length];
    for (int k = 0; k < pointers.length; k++) {
      copies[k] = memory.address() + k * operand;
      if (k < spec.inputs().size() && used(spec, k)) {
        copy(spec, k, pointers[k], copies[k], Math.min(n, elements), elements);
      }
    }
    return new SampleOperands(
        copies, memory.address() + operand * pointers.length, memory, elements);
  }

  private static boolean loops(Function function) {
    return function.blocks().size() > 1;
  }

  private static boolean used(StripSpec spec, int slot) {
    return spec.tape().nodes().stream()
        .anyMatch(node -> node instanceof Node.Input in && in.slot() == slot);
  }

  private static void copy(StripSpec spec, int slot, long from, long to, int n, int elements) {
    ScalarType type = spec.inputType(slot);
    int bytes = type.bytes();
    switch (spec.inputs().get(slot)) {
      case UNIT -> line(from, to, bytes, n, elements);
      case GATHERED -> {
        long copy = to + GatheredLines.BYTES;
        GatheredLines.set(to, copy, 0, 0, to, 0, Integer.BYTES);
        line(GatheredLines.address(new long[] {from}, new long[1], 0, 0), copy, bytes, n, elements);
      }
      case SCALAR -> MemorySegment.copy(RawMemory.ALL, from, RawMemory.ALL, to, bytes);
      case INDEX -> MemorySegment.copy(RawMemory.ALL, from, RawMemory.ALL, to, 3 * 8);
      case ACCUMULATE ->
          MemorySegment.copy(RawMemory.ALL, from, RawMemory.ALL, to, (long) spec.lanes() * bytes);
    }
  }

  private static void line(long from, long to, int bytes, int n, int elements) {
    for (int j = 0; j < elements; j += n) {
      long count = Math.min(n, elements - j);
      RawMemory.copy(from, to + (long) j * bytes, count * bytes);
    }
  }

  void run(Strip strip) {
    strip.run(pointers, strides, 1, elements, scratch);
    java.lang.ref.Reference.reachabilityFence(memory);
  }

  /**
   * Makes a short run, which consists mostly of calls rather than loop iterations and counts faster
   * towards compilation.
   */
  void runFew(Strip strip) {
    strip.run(pointers, strides, 1, Math.min(elements, FEW), scratch);
    java.lang.ref.Reference.reachabilityFence(memory);
  }
}
