package ristretto.expr.linalg;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import ristretto.kernels.cpu.blas.Lapack;

/** Real numbers in memory, of F64 if wide and of F32 otherwise. */
record Reals(MemorySegment memory, boolean wide) {
  /** Numbers that a loop copies and checks faster than the library. */
  private static final long MOST_IN_LOOP = 128;

  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  long address() {
    return memory.address();
  }

  /** Distance of rounding at 1. */
  double epsilon() {
    return wide ? 0x1p-52 : 0x1p-23;
  }

  /** Numbers from an element on. */
  Reals from(long element) {
    return new Reals(memory.asSlice(element * (wide ? 8 : 4)), wide);
  }

  double get(long element) {
    return wide ? memory.get(DOUBLE, 8 * element) : memory.get(FLOAT, 4 * element);
  }

  void set(long element, double value) {
    if (wide) {
      memory.set(DOUBLE, 8 * element, value);
    } else {
      memory.set(FLOAT, 4 * element, (float) value);
    }
  }

  void fill(double value) {
    fill(value, memory.byteSize() / (wide ? 8 : 4));
  }

  void fill(double value, long count) {
    for (long k = 0; k < count; k++) {
      set(k, value);
    }
  }

  void scale(double factor, long count) {
    for (long k = 0; k < count; k++) {
      set(k, factor * get(k));
    }
  }

  /** Writes the identity matrix of {@code rows} rows. */
  void identity(int rows, int columns) {
    fill(0, (long) rows * columns);
    for (int k = 0; k < Math.min(rows, columns); k++) {
      set((long) k * columns + k, 1);
    }
  }

  /** Copies numbers here, without a check. */
  void copyAll(Reals source, long count) {
    MemorySegment.copy(source.memory, 0, memory, 0, count * (wide ? 8 : 4));
  }

  /** Copies numbers here; returns true if all are finite. */
  boolean copy(Reals source, long count) {
    if (count > MOST_IN_LOOP && count <= Integer.MAX_VALUE) {
      copyAll(source, count);
      // The library's sum is faster than a loop, but infinite for numbers that are too large too.
      if (Double.isFinite(Lapack.asum(wide, (int) count, address()))) {
        return true;
      }
    }
    return copy(source, 0, count);
  }

  /** Copies a row-major matrix here, with rows at a distance; returns true if all are finite. */
  boolean copyRows(Reals source, int rows, int columns, int pitch) {
    if (pitch == columns) {
      return copy(source, (long) rows * columns);
    }
    boolean finite = true;
    for (int i = 0; i < rows; i++) {
      finite &= from((long) i * pitch).copy(source.from((long) i * columns), columns);
    }
    return finite;
  }

  /** Returns true if the lower triangle of a row-major matrix is finite. */
  boolean isLowerFinite(int n) {
    boolean finite = true;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        finite &= Double.isFinite(get((long) i * n + j));
      }
    }
    return finite;
  }

  /** Copies some of the numbers to the same places here; returns true if all are finite. */
  private boolean copy(Reals source, long first, long count) {
    MemorySegment from = source.memory;
    MemorySegment to = memory;
    if (wide) {
      // Adding to the exponent overflows into the sign for infinities and NaN.
      long all = 0;
      for (long at = 8 * first; at < 8 * (first + count); at += 8) {
        long bits = from.get(LONG, at);
        to.set(LONG, at, bits);
        all |= (bits & 0x7FF0000000000000L) + 0x0010000000000000L;
      }
      return all >= 0;
    }
    int all = 0;
    for (long at = 4 * first; at < 4 * (first + count); at += 4) {
      int bits = from.get(INT, at);
      to.set(INT, at, bits);
      all |= (bits & 0x7F800000) + 0x00800000;
    }
    return all >= 0;
  }

  /** Copies the lower triangle of a row-major matrix here; returns true if all are finite. */
  boolean copyLower(Reals source, int n) {
    boolean finite = true;
    for (int i = 0; i < n; i++) {
      finite &= copy(source, (long) i * n, i + 1);
    }
    return finite;
  }

  /** Writes zeros above the diagonal of a row-major matrix. */
  void clearUpper(int n) {
    for (int i = 0; i < n; i++) {
      long row = (long) i * n;
      for (long k = row + i + 1; k < row + n; k++) {
        set(k, 0);
      }
    }
  }

  /**
   * Copies a row-major matrix here, column by column; returns true if all are finite.
   *
   * @param columnLength distance of the columns
   */
  boolean copyColumns(Reals source, int rows, int columns, long columnLength) {
    int block = 16;
    double sum = 0;
    for (int first = 0; first < rows; first += block) {
      int end = Math.min(rows, first + block);
      for (int j = 0; j < columns; j++) {
        for (int i = first; i < end; i++) {
          double value = source.get((long) i * columns + j);
          set(j * columnLength + i, value);
          // NaN for infinities and NaN
          sum += value * 0;
        }
      }
    }
    return sum == 0;
  }
}
