package ristretto.kernels.standin;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Stand-in for TornadoVM's class of this name. */
public record IntArray(MemorySegment memory) {
  public int get(int index) {
    return memory.get(ValueLayout.JAVA_INT_UNALIGNED, 4L * index);
  }

  public void set(int index, int value) {
    memory.set(ValueLayout.JAVA_INT_UNALIGNED, 4L * index, value);
  }
}
