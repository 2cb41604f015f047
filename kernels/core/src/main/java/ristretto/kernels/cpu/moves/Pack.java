package ristretto.kernels.cpu.moves;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.scalar.ScalarType;

/**
 * Copies of tiles between memory of any strides and storage type and dense scratch of the compute
 * type. All strides are in bytes.
 */
public final class Pack {
  private Pack() {}

  /** Returns the type of a packed element: I32 for BOOL, the compute type for storage types. */
  public static ScalarType packed(ScalarType storage) {
    return storage == ScalarType.BOOL ? ScalarType.I32 : storage.compute();
  }

  /** Reads {@code rows * cols} elements into dense rows of {@code pitch} bytes. */
  public static void load(
      ScalarType storage,
      long from,
      long rowStride,
      long colStride,
      int rows,
      int cols,
      long to,
      long pitch) {
    boolean down = Math.abs(rowStride) < Math.abs(colStride) && rows > 1 && rowStride != 0;
    switch (storage) {
      case F32, I32, F64, I64, U64 -> {
        int size = storage.bytes();
        copy(size, from, rowStride, colStride, rows, cols, to, pitch, size, down);
      }
      case BOOL, I8, U8, I16, U16, U32, F16, BF16 -> {
        for (int r = 0; r < rows; r++) {
          widen(storage, from + r * rowStride, colStride, cols, to + r * pitch);
        }
      }
    }
  }

  /** Writes {@code rows * cols} elements from dense rows of {@code pitch} bytes. */
  public static void store(
      ScalarType storage,
      long from,
      long pitch,
      int rows,
      int cols,
      long to,
      long rowStride,
      long colStride) {
    boolean down = Math.abs(rowStride) < Math.abs(colStride) && rows > 1 && rowStride != 0;
    switch (storage) {
      case F32, I32, F64, I64, U64 -> {
        int size = storage.bytes();
        copy(size, from, pitch, size, rows, cols, to, rowStride, colStride, down);
      }
      case BOOL, I8, U8, I16, U16, U32, F16, BF16 -> {
        for (int r = 0; r < rows; r++) {
          narrow(storage, from + r * pitch, cols, to + r * rowStride, colStride);
        }
      }
    }
  }

  /** Copies elements of {@code size} bytes unchanged. */
  public static void copy(
      int size,
      long from,
      long fromRow,
      long fromCol,
      int rows,
      int cols,
      long to,
      long toRow,
      long toCol) {
    boolean down =
        size >= 4
            && rows > 1
            && (Math.abs(fromRow) < Math.abs(fromCol) && fromRow != 0
                || toRow == size && fromCol == size);
    copy(size, from, fromRow, fromCol, rows, cols, to, toRow, toCol, down);
  }

  private static void copy(
      int size,
      long from,
      long fromRow,
      long fromCol,
      int rows,
      int cols,
      long to,
      long toRow,
      long toCol,
      boolean down) {
    Move move = size == 4 ? Move.TRANSPOSE_4 : Move.TRANSPOSE_8;
    if (down && fromRow == size && toCol == size && Transpose.worthwhile(move, rows, cols)) {
      Transpose.copy(move, from, fromCol, cols, rows, to, toRow);
    } else if (down && fromCol == size && toRow == size && Transpose.worthwhile(move, rows, cols)) {
      Transpose.copy(move, from, fromRow, rows, cols, to, toCol);
    } else if (down) {
      for (int c = 0; c < cols; c++) {
        run(size, from + c * fromCol, fromRow, rows, to + c * toCol, toRow);
      }
    } else {
      for (int r = 0; r < rows; r++) {
        run(size, from + r * fromRow, fromCol, cols, to + r * toRow, toCol);
      }
    }
  }

  private static void run(int size, long from, long fromStep, int n, long to, long toStep) {
    if (fromStep == size && toStep == size) {
      RawMemory.copy(from, to, (long) size * n);
      return;
    }
    switch (size) {
      case 1 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putByte(to + i * toStep, RawMemory.getByte(from + i * fromStep));
        }
      }
      case 2 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putShort(to + i * toStep, RawMemory.getShort(from + i * fromStep));
        }
      }
      case 4 -> run4(from, fromStep, n, to, toStep);
      default -> run8(from, fromStep, n, to, toStep);
    }
  }

  private static void run4(long from, long fromStep, int n, long to, long toStep) {
    if (toStep == 4) {
      for (int i =
              strided(Move.STRIDE_4, fromStep, n)
                  ? VectorMoves.stride4(from, (int) fromStep / 4, to, n)
                  : 0;
          i < n;
          i++) {
        RawMemory.putInt(to + 4L * i, RawMemory.getInt(from + i * fromStep));
      }
    } else if (fromStep == 4) {
      for (int i = 0; i < n; i++) {
        RawMemory.putInt(to + i * toStep, RawMemory.getInt(from + 4L * i));
      }
    } else {
      for (int i = 0; i < n; i++) {
        RawMemory.putInt(to + i * toStep, RawMemory.getInt(from + i * fromStep));
      }
    }
  }

  /** Returns true if vector code copies {@code n} elements at a stride of {@code step} bytes. */
  private static boolean strided(Move move, long step, int n) {
    return n > 2 * move.lanes
        && step != 0
        && Math.abs(step) <= (long) Move.MOST_STRIDE * move.bytes
        && step % move.bytes == 0
        && move.ready(n);
  }

  private static void run8(long from, long fromStep, int n, long to, long toStep) {
    if (toStep == 8) {
      for (int i =
              strided(Move.STRIDE_8, fromStep, n)
                  ? VectorMoves.stride8(from, (int) fromStep / 8, to, n)
                  : 0;
          i < n;
          i++) {
        RawMemory.putLong(to + 8L * i, RawMemory.getLong(from + i * fromStep));
      }
    } else {
      for (int i = 0; i < n; i++) {
        RawMemory.putLong(to + i * toStep, RawMemory.getLong(from + i * fromStep));
      }
    }
  }

  /** Returns true if vector code converts {@code n} elements, which are consecutive bytes. */
  private static boolean bytes(ScalarType storage, long step, int n) {
    return storage.bytes() == 1 && step == 1 && n >= 2 * Move.BYTES.lanes && Move.BYTES.ready(n);
  }

  private static int widenBytes(ScalarType storage, long from, int n, long to) {
    return storage == ScalarType.I8
        ? VectorMoves.widenSigned(from, to, n)
        : VectorMoves.widenUnsigned(from, storage == ScalarType.BOOL ? 1 : 255, to, n);
  }

  private static int narrowBytes(ScalarType storage, long from, int n, long to) {
    return storage == ScalarType.BOOL
        ? VectorMoves.narrowTruth(from, to, n)
        : VectorMoves.narrow(from, to, n);
  }

  private static void widen(ScalarType storage, long from, long step, int n, long to) {
    int done = bytes(storage, step, n) ? widenBytes(storage, from, n, to) : 0;
    switch (storage) {
      case BOOL -> {
        for (int i = done; i < n; i++) {
          RawMemory.putInt(to + 4L * i, RawMemory.getByte(from + i * step) != 0 ? 1 : 0);
        }
      }
      case I8 -> {
        for (int i = done; i < n; i++) {
          RawMemory.putInt(to + 4L * i, RawMemory.getByte(from + i * step));
        }
      }
      case U8 -> {
        for (int i = done; i < n; i++) {
          RawMemory.putInt(to + 4L * i, RawMemory.getByte(from + i * step) & 0xFF);
        }
      }
      case I16 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putInt(to + 4L * i, RawMemory.getShort(from + i * step));
        }
      }
      case U16 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putInt(to + 4L * i, RawMemory.getShort(from + i * step) & 0xFFFF);
        }
      }
      case U32 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putLong(to + 8L * i, RawMemory.getInt(from + i * step) & 0xFFFFFFFFL);
        }
      }
      case F16 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putFloat(
              to + 4L * i, Float.float16ToFloat(RawMemory.getShort(from + i * step)));
        }
      }
      case BF16 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putInt(to + 4L * i, RawMemory.getShort(from + i * step) << 16);
        }
      }
      case I32, I64, U64, F32, F64 -> throw new AssertionError(storage);
    }
  }

  private static void narrow(ScalarType storage, long from, int n, long to, long step) {
    int done = bytes(storage, step, n) ? narrowBytes(storage, from, n, to) : 0;
    switch (storage) {
      case BOOL -> {
        for (int i = done; i < n; i++) {
          RawMemory.putByte(to + i * step, (byte) (RawMemory.getInt(from + 4L * i) != 0 ? 1 : 0));
        }
      }
      case I8, U8 -> {
        for (int i = done; i < n; i++) {
          RawMemory.putByte(to + i * step, (byte) RawMemory.getInt(from + 4L * i));
        }
      }
      case I16, U16 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putShort(to + i * step, (short) RawMemory.getInt(from + 4L * i));
        }
      }
      case U32 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putInt(to + i * step, (int) RawMemory.getLong(from + 8L * i));
        }
      }
      case F16 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putShort(
              to + i * step, Float.floatToFloat16(RawMemory.getFloat(from + 4L * i)));
        }
      }
      case BF16 -> {
        for (int i = 0; i < n; i++) {
          RawMemory.putShort(to + i * step, toBf16(RawMemory.getInt(from + 4L * i)));
        }
      }
      case I32, I64, U64, F32, F64 -> throw new AssertionError(storage);
    }
  }

  /** Rounds the bits of an F32 to BF16, ties to even; a NaN keeps its sign and stays a NaN. */
  public static short toBf16(int bits) {
    if ((bits & 0x7fffffff) > 0x7f800000) {
      return (short) ((bits >>> 16) | 0x40);
    }
    return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
  }
}
