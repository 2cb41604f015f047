package ristretto.kernels.standin;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Stand-in for TornadoVM's class of this name. */
public record DoubleArray(MemorySegment memory) {
  public double get(int index) {
    return memory.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * index);
  }

  public void set(int index, double value) {
    memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * index, value);
  }
}
