package ristretto.kernels.cpu.launch;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.scalar.ScalarType;

/**
 * Sort keys: signed longs in the order of the elements, NaN above all others, both zeros equal. A
 * key of 32 bits is in the upper half of its long. Keys of a descending sort are complemented,
 * except for NaN.
 */
record SortKeys(ScalarType storage, boolean descending) {
  private static final long INFINITY = 0x7ff0000000000000L;
  private static final long NAN_32 = (long) Integer.MAX_VALUE << 32;

  /** True if the lower half of each key is free. */
  boolean narrow() {
    return storage.bytes() <= 4;
  }

  /** Writes the keys of n elements. */
  void read(long from, long step, int n, long[] keys, int start) {
    if (step == 8 && storage == ScalarType.F64) {
      readDoubles(from, n, keys, start);
      return;
    }
    switch (storage) {
      case F32 -> {
        for (int i = 0; i < n; i++) {
          keys[start + i] = single(RawMemory.getInt(from + i * step));
        }
      }
      case F64 -> {
        for (int i = 0; i < n; i++) {
          keys[start + i] = wide(RawMemory.getLong(from + i * step));
        }
      }
      case F16 -> {
        for (int i = 0; i < n; i++) {
          float v = Float.float16ToFloat(RawMemory.getShort(from + i * step));
          keys[start + i] = single(Float.floatToRawIntBits(v));
        }
      }
      case BF16 -> {
        for (int i = 0; i < n; i++) {
          keys[start + i] = single(RawMemory.getShort(from + i * step) << 16);
        }
      }
      case I32 -> {
        for (int i = 0; i < n; i++) {
          keys[start + i] = directed((long) RawMemory.getInt(from + i * step) << 32);
        }
      }
      // Sorts of U64 invert the highest bit before and after the kernel.
      case I64, U64 -> {
        for (int i = 0; i < n; i++) {
          long v = RawMemory.getLong(from + i * step);
          keys[start + i] = descending ? ~v : v;
        }
      }
      case U8 -> {
        for (int i = 0; i < n; i++) {
          keys[start + i] = directed((RawMemory.getByte(from + i * step) & 0xFFL) << 32);
        }
      }
      case I16 -> {
        for (int i = 0; i < n; i++) {
          keys[start + i] = directed((long) RawMemory.getShort(from + i * step) << 32);
        }
      }
      case U16 -> {
        for (int i = 0; i < n; i++) {
          keys[start + i] = directed((RawMemory.getShort(from + i * step) & 0xFFFFL) << 32);
        }
      }
      case U32 -> {
        for (int i = 0; i < n; i++) {
          int v = RawMemory.getInt(from + i * step) ^ Integer.MIN_VALUE;
          keys[start + i] = directed((long) v << 32);
        }
      }
      case BOOL, I8 -> {
        for (int i = 0; i < n; i++) {
          keys[start + i] = directed((long) RawMemory.getByte(from + i * step) << 32);
        }
      }
    }
  }

  /** Writes the keys of adjacent doubles, in a loop of which the compiler makes vector code. */
  private void readDoubles(long from, int n, long[] keys, int start) {
    long flip = descending ? -1 : 0;
    for (int i = 0; i < n; i++) {
      long bits = RawMemory.getLong(from + 8L * i);
      long b = bits == Long.MIN_VALUE ? 0 : bits;
      long key = (b ^ b >> 63 & Long.MAX_VALUE) ^ flip;
      keys[start + i] = (bits & Long.MAX_VALUE) > INFINITY ? Long.MAX_VALUE : key;
    }
  }

  private long directed(long key) {
    return descending ? ~key & 0xFFFFFFFF00000000L : key;
  }

  private long single(int bits) {
    int b = bits == Integer.MIN_VALUE ? 0 : bits;
    int key = b ^ b >> 31 & Integer.MAX_VALUE;
    long found = (long) (descending ? ~key : key) << 32;
    return (bits & Integer.MAX_VALUE) > 0x7f800000 ? NAN_32 : found;
  }

  private long wide(long bits) {
    long b = bits == Long.MIN_VALUE ? 0 : bits;
    long key = b ^ b >> 63 & Long.MAX_VALUE;
    long found = descending ? ~key : key;
    return (bits & Long.MAX_VALUE) > INFINITY ? Long.MAX_VALUE : found;
  }

  /**
   * Returns true if {@link #write} restores any element: integers of full width, and floats without
   * NaN and zeros, of which several have one key.
   */
  boolean invertible(long key) {
    return switch (storage) {
      case F32, F64 ->
          key != (descending ? zero() : 0) && key != (narrow() ? NAN_32 : Long.MAX_VALUE);
      case I32, I64 -> true;
      default -> false;
    };
  }

  private long zero() {
    return narrow() ? 0xFFFFFFFF00000000L : -1;
  }

  /** Writes the element of an {@link #invertible} key. */
  void write(long key, long to) {
    long k = descending ? ~key : key;
    switch (storage) {
      case F32 -> {
        int b = (int) (k >> 32);
        RawMemory.putInt(to, b ^ b >> 31 & Integer.MAX_VALUE);
      }
      case F64 -> RawMemory.putLong(to, k ^ k >> 63 & Long.MAX_VALUE);
      case I32 -> RawMemory.putInt(to, (int) (k >> 32));
      default -> RawMemory.putLong(to, k);
    }
  }
}
