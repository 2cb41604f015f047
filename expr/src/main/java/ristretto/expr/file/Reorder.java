package ristretto.expr.file;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import ristretto.kernels.ir.Longs;

/** Conversion from big-endian and Fortran order. */
final class Reorder {
  /** Tile size of transpositions, such that source and target stay in a few cache lines each. */
  private static final long TILE = 32;

  private Reorder() {}

  /** Converts big-endian elements of {@code size} bytes to little-endian {@code target}. */
  static MemorySegment swapBytes(MemorySegment source, int size, MemorySegment target) {
    MemorySegment.copy(
        source,
        layout(size).withOrder(ByteOrder.BIG_ENDIAN),
        0,
        target,
        layout(size).withOrder(ByteOrder.LITTLE_ENDIAN),
        0,
        source.byteSize() / size);
    return target;
  }

  private static ValueLayout layout(int size) {
    return switch (size) {
      case 2 -> ValueLayout.JAVA_SHORT_UNALIGNED;
      case 4 -> ValueLayout.JAVA_INT_UNALIGNED;
      case 8 -> ValueLayout.JAVA_LONG_UNALIGNED;
      default -> ValueLayout.JAVA_BYTE;
    };
  }

  /** Converts Fortran order (first index fastest) to C order; at least two axes, none empty. */
  static MemorySegment fromFortran(
      MemorySegment source, Longs shape, int size, MemorySegment target) {
    int rank = shape.size();
    long[] from = new long[rank];
    long[] to = new long[rank];
    from[0] = size;
    for (int k = 1; k < rank; k++) {
      from[k] = from[k - 1] * shape.get(k - 1);
    }
    to[rank - 1] = size;
    for (int k = rank - 1; k > 0; k--) {
      to[k - 1] = to[k] * shape.get(k);
    }
    long[] index = new long[rank];
    boolean more = true;
    while (more) {
      long fromOffset = 0;
      long toOffset = 0;
      for (int k = 1; k < rank - 1; k++) {
        fromOffset += index[k] * from[k];
        toOffset += index[k] * to[k];
      }
      plane(
          source.asSlice(fromOffset),
          from[rank - 1],
          target.asSlice(toOffset),
          to[0],
          shape.get(0),
          shape.get(rank - 1),
          size);
      more = next(index, shape);
    }
    return target;
  }

  /**
   * Converts strided elements to C order; no axis is empty.
   *
   * @param strides distances along each axis in elements
   */
  static MemorySegment fromStrides(
      MemorySegment source, Longs shape, Longs strides, int size, MemorySegment target) {
    int rank = shape.size();
    long[] index = new long[rank];
    long from = 0;
    for (long to = 0; to < target.byteSize(); to += size) {
      copy(source, from * size, target, to, size);
      for (int k = rank - 1; k >= 0; k--) {
        from += strides.get(k);
        if (++index[k] < shape.get(k)) {
          break;
        }
        from -= shape.get(k) * strides.get(k);
        index[k] = 0;
      }
    }
    return target;
  }

  /**
   * Increments the index over all axes but the first and the last; returns false after the last
   * index.
   */
  private static boolean next(long[] index, Longs shape) {
    for (int k = shape.size() - 2; k > 0; k--) {
      if (++index[k] < shape.get(k)) {
        return true;
      }
      index[k] = 0;
    }
    return false;
  }

  /**
   * Transposes one plane with columns {@code from} bytes apart in the source and rows {@code to}
   * bytes apart in the target.
   */
  private static void plane(
      MemorySegment source,
      long from,
      MemorySegment target,
      long to,
      long rows,
      long columns,
      int size) {
    for (long r = 0; r < rows; r += TILE) {
      for (long c = 0; c < columns; c += TILE) {
        for (long i = r; i < Math.min(rows, r + TILE); i++) {
          for (long j = c; j < Math.min(columns, c + TILE); j++) {
            copy(source, j * from + i * size, target, i * to + j * size, size);
          }
        }
      }
    }
  }

  private static void copy(
      MemorySegment source, long from, MemorySegment target, long to, int size) {
    switch (size) {
      case 1 -> target.set(ValueLayout.JAVA_BYTE, to, source.get(ValueLayout.JAVA_BYTE, from));
      case 2 ->
          target.set(
              ValueLayout.JAVA_SHORT_UNALIGNED,
              to,
              source.get(ValueLayout.JAVA_SHORT_UNALIGNED, from));
      case 4 ->
          target.set(
              ValueLayout.JAVA_INT_UNALIGNED, to, source.get(ValueLayout.JAVA_INT_UNALIGNED, from));
      default ->
          target.set(
              ValueLayout.JAVA_LONG_UNALIGNED,
              to,
              source.get(ValueLayout.JAVA_LONG_UNALIGNED, from));
    }
  }
}
