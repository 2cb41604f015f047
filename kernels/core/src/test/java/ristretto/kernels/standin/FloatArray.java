package ristretto.kernels.standin;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Stand-in for TornadoVM's class of this name. */
public record FloatArray(MemorySegment memory) {
  public float get(int index) {
    return memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * index);
  }

  public void set(int index, float value) {
    memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * index, value);
  }
}
