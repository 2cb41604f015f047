package ristretto.kernels.cpu.codegen;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.strip.GatheredLines;

/**
 * Copies of the last elements of a row, too few for a full vector. They are copied into areas of
 * full vectors, padded with copies of their first element (so that no padding lane computes what no
 * element does), computed there, and the results are copied back. Masked loads and stores instead
 * would need a second method for every segment, larger than C1 compiles, and are no faster.
 */
final class TailCopy {
  /** Bytes of one operand's area for the last elements of a row, or most lanes of accumulators. */
  static final int AREA_BYTES = 256;

  static final char NONE = '-';
  static final char INPUT_4 = 'i';
  static final char INPUT_8 = 'I';
  static final char GATHERED_4 = 'g';
  static final char GATHERED_8 = 'G';
  static final char OUTPUT_4 = 'o';
  static final char OUTPUT_8 = 'O';
  static final char ACCUMULATE_4 = 'a';
  static final char ACCUMULATE_8 = 'A';

  private static final long LOW = 0xFFFFFFFFL;

  private TailCopy() {}

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
      long area = areas + (long) k * AREA_BYTES;
      switch (layout.charAt(k)) {
        case INPUT_4 -> in4(start + 4L * from, area, to - from, lanes);
        case INPUT_8 -> in8(start + 8L * from, area, to - from, lanes);
        case GATHERED_4 -> {
          long line = GatheredLines.address(pointers, strides, k, row);
          in4(line + 4L * from, area, to - from, lanes);
        }
        case GATHERED_8 -> {
          long line = GatheredLines.address(pointers, strides, k, row);
          in8(line + 8L * from, area, to - from, lanes);
        }
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
      long area = areas + (long) k * AREA_BYTES;
      switch (layout.charAt(k)) {
        case OUTPUT_4 -> out4(area, start + 4L * from, to - from);
        case OUTPUT_8 -> out8(area, start + 8L * from, to - from);
        case ACCUMULATE_4 -> out4(area, start, to - from);
        case ACCUMULATE_8 -> out8(area, start, to - from);
        default -> {}
      }
    }
  }

  /** Copies two elements at a time; {@code lanes} is even. */
  private static void in4(long from, long area, int count, int lanes) {
    long first = RawMemory.getInt(from) & LOW;
    long padding = first << 32 | first;
    int whole = count & -2;
    for (int j = 0; j < whole; j += 2) {
      RawMemory.putLong(area + 4L * j, RawMemory.getLong(from + 4L * j));
    }
    if (whole < count) {
      RawMemory.putLong(area + 4L * whole, first << 32 | RawMemory.getInt(from + 4L * whole) & LOW);
    }
    for (int j = count + 1 & -2; j < lanes; j += 2) {
      RawMemory.putLong(area + 4L * j, padding);
    }
  }

  private static void in8(long from, long area, int count, int lanes) {
    long padding = RawMemory.getLong(from);
    for (int j = 0; j < count; j++) {
      RawMemory.putLong(area + 8L * j, RawMemory.getLong(from + 8L * j));
    }
    for (int j = count; j < lanes; j++) {
      RawMemory.putLong(area + 8L * j, padding);
    }
  }

  private static void out4(long area, long to, int count) {
    int whole = count & -2;
    for (int j = 0; j < whole; j += 2) {
      RawMemory.putLong(to + 4L * j, RawMemory.getLong(area + 4L * j));
    }
    if (whole < count) {
      RawMemory.putInt(to + 4L * whole, RawMemory.getInt(area + 4L * whole));
    }
  }

  private static void out8(long area, long to, int count) {
    for (int j = 0; j < count; j++) {
      RawMemory.putLong(to + 8L * j, RawMemory.getLong(area + 8L * j));
    }
  }
}
