package ristretto.kernels.cpu;

import java.lang.foreign.MemorySegment;

/**
 * The last elements of a row, too few for a full vector: they are copied into areas of full
 * vectors, padded with copies of the first of them (so that no padding lane does what no element
 * does), computed there, and the results copied back. Masked loads and stores instead would need a
 * second method for every segment, larger than what C1 compiles, and are no faster.
 */
final class RestCopy {
  static final char NONE = '-';
  static final char INPUT_4 = 'i';
  static final char INPUT_8 = 'I';
  static final char OUTPUT_4 = 'o';
  static final char OUTPUT_8 = 'O';
  static final char ACCUMULATE_4 = 'a';
  static final char ACCUMULATE_8 = 'A';

  private RestCopy() {}

  /**
   * Copies inputs and accumulators into the areas.
   *
   * @param layout one of the characters above for each pointer
   * @param lanes elements of a full area
   */
  static void in(
      String layout,
      long[] pointers,
      long[] strides,
      int row,
      int from,
      int to,
      long areas,
      int lanes) {
    for (int k = 0; k < layout.length(); k++) {
      long start = pointers[k] + strides[k] * row;
      long area = areas + (long) k * Plan.REST_BYTES;
      switch (layout.charAt(k)) {
        case INPUT_4 -> in4(start + 4L * from, area, to - from, lanes);
        case INPUT_8 -> in8(start + 8L * from, area, to - from, lanes);
        case ACCUMULATE_4 -> in4(start, area, lanes, lanes);
        case ACCUMULATE_8 -> in8(start, area, lanes, lanes);
        default -> {}
      }
    }
  }

  /** Copies outputs and the accumulator lanes of real elements back. */
  static void out(
      String layout, long[] pointers, long[] strides, int row, int from, int to, long areas) {
    for (int k = 0; k < layout.length(); k++) {
      long start = pointers[k] + strides[k] * row;
      long area = areas + (long) k * Plan.REST_BYTES;
      switch (layout.charAt(k)) {
        case OUTPUT_4 -> out4(area, start + 4L * from, to - from);
        case OUTPUT_8 -> out8(area, start + 8L * from, to - from);
        case ACCUMULATE_4 -> out4(area, start, to - from);
        case ACCUMULATE_8 -> out8(area, start, to - from);
        default -> {}
      }
    }
  }

  private static void in4(long from, long area, int count, int lanes) {
    MemorySegment all = RawMemory.ALL;
    int first = all.get(RawMemory.I32, from);
    for (int j = 0; j < count; j++) {
      all.set(RawMemory.I32, area + 4L * j, all.get(RawMemory.I32, from + 4L * j));
    }
    for (int j = count; j < lanes; j++) {
      all.set(RawMemory.I32, area + 4L * j, first);
    }
  }

  private static void in8(long from, long area, int count, int lanes) {
    MemorySegment all = RawMemory.ALL;
    long first = all.get(RawMemory.I64, from);
    for (int j = 0; j < count; j++) {
      all.set(RawMemory.I64, area + 8L * j, all.get(RawMemory.I64, from + 8L * j));
    }
    for (int j = count; j < lanes; j++) {
      all.set(RawMemory.I64, area + 8L * j, first);
    }
  }

  private static void out4(long area, long to, int count) {
    for (int j = 0; j < count; j++) {
      RawMemory.ALL.set(
          RawMemory.I32, to + 4L * j, RawMemory.ALL.get(RawMemory.I32, area + 4L * j));
    }
  }

  private static void out8(long area, long to, int count) {
    for (int j = 0; j < count; j++) {
      RawMemory.ALL.set(
          RawMemory.I64, to + 8L * j, RawMemory.ALL.get(RawMemory.I64, area + 8L * j));
    }
  }
}
