package ristretto.kernels.standin;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Stand-in for TornadoVM's class of this name. */
public record ByteArray(MemorySegment memory) {
  public byte get(int index) {
    return memory.get(ValueLayout.JAVA_BYTE, 1L * index);
  }

  public void set(int index, byte value) {
    memory.set(ValueLayout.JAVA_BYTE, 1L * index, value);
  }
}
