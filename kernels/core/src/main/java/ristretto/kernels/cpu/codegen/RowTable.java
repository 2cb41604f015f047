package ristretto.kernels.cpu.codegen;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.strip.GatheredLines;

/**
 * Addresses of a strip's operands, and values of its scalars, for a few rows at a time. Strips with
 * gathered lines read them from here: computed one by one in the generated code, they take several
 * times as long, because C2 inlines only some of the calls into a large method. Entry of a row:
 * {@code operand * ROWS + row % ROWS}.
 */
final class RowTable {
  static final int ROWS = 64;

  static final char UNUSED = '-';
  static final char ADDRESS = 'a';

  /** The address is equal in all rows. */
  static final char FIXED = 'f';

  static final char SCALAR_4 = 's';
  static final char SCALAR_8 = 'S';
  static final char GATHERED = 'g';

  private static final ThreadLocal<long[]> CURRENT = ThreadLocal.withInitial(() -> new long[0]);

  private RowTable() {}

  /** Returns the current thread's table for a number of operands. */
  static long[] current(int operands) {
    long[] table = CURRENT.get();
    if (table.length < operands * ROWS) {
      table = new long[2 * operands * ROWS];
      CURRENT.set(table);
    }
    return table;
  }

  /**
   * Writes the entries of up to {@link #ROWS} rows.
   *
   * @param layout one of the characters above for each pointer
   * @param from first row, a multiple of {@link #ROWS}
   * @param rows number of rows of the strip
   */
  static void fill(
      String layout, long[] pointers, long[] strides, int from, int rows, long[] table) {
    int count = Math.min(ROWS, rows - from);
    for (int k = 0; k < layout.length(); k++) {
      int at = k * ROWS;
      long stride = strides[k];
      long start = pointers[k] + stride * from;
      switch (layout.charAt(k)) {
        case GATHERED -> GatheredLines.addresses(pointers[k], from, count, stride, table, at);
        case ADDRESS -> {
          for (int r = 0; r < count; r++) {
            table[at + r] = start + stride * r;
          }
        }
        case FIXED -> java.util.Arrays.fill(table, at, at + count, pointers[k]);
        case SCALAR_4 -> {
          for (int r = 0; r < count; r++) {
            table[at + r] = RawMemory.getInt(start + stride * r & RawMemory.ADDRESS);
          }
        }
        case SCALAR_8 -> {
          for (int r = 0; r < count; r++) {
            table[at + r] = RawMemory.getLong(start + stride * r & RawMemory.ADDRESS);
          }
        }
        default -> {}
      }
    }
  }
}
