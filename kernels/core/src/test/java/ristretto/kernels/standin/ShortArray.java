package ristretto.kernels.standin;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Stand-in for TornadoVM's class of this name. */
public record ShortArray(MemorySegment memory) {
  public short get(int index) {
    return memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * index);
  }

  public void set(int index, short value) {
    memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * index, value);
  }
}
