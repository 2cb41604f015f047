package ristretto.jmh.twin;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Input;
import ristretto.jmh.line.Line;

/**
 * Inputs and result of one line at one size, shared by all competitors of this process that use raw
 * memory.
 */
final class Workset {
  private final Arena arena = Arena.ofShared();
  private final List<MemorySegment> inputs = new ArrayList<>();
  private final MemorySegment output;
  private int users;

  Workset(Line line, Dims dims) {
    for (int k = 0; k < line.inputs().size(); k++) {
      Input input = line.inputs().get(k);
      MemorySegment memory = NativeMemory.allocate(arena, 4 * input.length().applyAsLong(dims));
      Input.fill(memory, k, input.low(), input.high());
      inputs.add(memory);
    }
    output = NativeMemory.allocate(arena, 4 * line.outputLength(dims));
  }

  /**
   * Address of input {@code k}; of input 0 if there are fewer inputs, for loops with unused
   * parameters.
   */
  long input(int k) {
    return inputs.get(k < inputs.size() ? k : 0).address();
  }

  long output() {
    return output.address();
  }

  float result(long index) {
    return output.getAtIndex(ValueLayout.JAVA_FLOAT, index);
  }

  void acquire() {
    users++;
  }

  /** Frees the memory with its last user. */
  void release() {
    if (--users == 0) {
      arena.close();
    }
  }

  boolean closed() {
    return !arena.scope().isAlive();
  }
}
