package ristretto.kernels.cpu.strip;

import ristretto.kernels.cpu.memory.RawMemory;

/**
 * Form in memory of a strip's operand whose rows are lines chosen by indices: base, extent, and
 * distance of lines in bytes; address of the first row's index, distance of indices, and size of an
 * index in bytes. All are longs.
 */
public final class GatheredLines {
  public static final int BYTES = 48;

  private GatheredLines() {}

  /** Writes the form at {@code cell}. */
  public static void set(
      long cell, long base, long extent, long distance, long index, long step, long size) {
    RawMemory.putLong(cell, base);
    RawMemory.putLong(cell + 8, extent);
    RawMemory.putLong(cell + 16, distance);
    RawMemory.putLong(cell + 24, index);
    RawMemory.putLong(cell + 32, step);
    RawMemory.putLong(cell + 40, size);
  }

  /**
   * Returns the address of a row's line, for operand {@code slot}; negative indices count from the
   * end.
   */
  public static long address(long[] pointers, long[] strides, int slot, int row) {
    long cell = pointers[slot];
    long at = RawMemory.getLong(cell + 24) + RawMemory.getLong(cell + 32) * row;
    long i = RawMemory.getLong(cell + 40) == 4 ? RawMemory.getInt(at) : RawMemory.getLong(at);
    i += i >> Long.SIZE - 1 & RawMemory.getLong(cell + 8);
    return RawMemory.getLong(cell) + strides[slot] * row + RawMemory.getLong(cell + 16) * i;
  }

  /**
   * Writes the addresses of the lines of rows {@code from} to {@code from + count - 1} to a table.
   *
   * @param stride bytes added per row
   * @param at first entry
   */
  public static void addresses(long cell, int from, int count, long stride, long[] table, int at) {
    long extent = RawMemory.getLong(cell + 8);
    long distance = RawMemory.getLong(cell + 16);
    long step = RawMemory.getLong(cell + 32);
    long index = RawMemory.getLong(cell + 24) + step * from;
    long line = RawMemory.getLong(cell) + stride * from;
    if (RawMemory.getLong(cell + 40) == Integer.BYTES) {
      for (int r = 0; r < count; r++) {
        long i = RawMemory.getInt(index + step * r & RawMemory.ADDRESS);
        table[at + r] = line + stride * r + (i + (i >> 63 & extent)) * distance;
      }
    } else {
      for (int r = 0; r < count; r++) {
        long i = RawMemory.getLong(index + step * r & RawMemory.ADDRESS);
        table[at + r] = line + stride * r + (i + (i >> 63 & extent)) * distance;
      }
    }
  }
}
