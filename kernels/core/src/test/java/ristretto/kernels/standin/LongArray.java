package ristretto.kernels.standin;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Stand-in for TornadoVM's class of this name. */
public record LongArray(MemorySegment memory) {
  public long get(int index) {
    return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 8L * index);
  }

  public void set(int index, long value) {
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 8L * index, value);
  }
}
