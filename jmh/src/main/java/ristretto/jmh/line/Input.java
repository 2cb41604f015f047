package ristretto.jmh.line;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.ToLongFunction;

/**
 * Input of a line: its length and the range of its values. Each competitor computes the values from
 * the element's index, so that no data travels between processes.
 *
 * @param low smallest value
 * @param high exclusive upper bound of the values
 * @param length number of elements at a given size
 */
public record Input(double low, double high, ToLongFunction<Dims> length) {
  private static final long MULTIPLIER = 2_654_435_761L;
  private static final long STEP = 40_503L;

  /** Value of element {@code i} of input {@code k}. */
  public static float value(int k, long i, double low, double high) {
    long hash = ((i + STEP * k) * MULTIPLIER & 0xFFFF_FFFFL) >>> 8;
    return (float) (low + (high - low) * (hash * 0x1p-24));
  }

  public float value(int k, long i) {
    return value(k, i, low, high);
  }

  /** Fills {@code memory} with the floats of input {@code k}. */
  public static void fill(MemorySegment memory, int k, double low, double high) {
    long n = memory.byteSize() / Float.BYTES;
    for (long i = 0; i < n; i++) {
      memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, value(k, i, low, high));
    }
  }
}
