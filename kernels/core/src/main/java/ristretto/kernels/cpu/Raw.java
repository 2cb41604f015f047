package ristretto.kernels.cpu;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Access to memory by raw address, through one segment that spans the address space. Hand-written
 * loops and generated code are up to twice as fast as with one segment per buffer. Callers are
 * responsible for the addresses: a launch checks that each buffer is large enough and open before
 * it runs.
 */
final class Raw {
  static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

  private Raw() {}

  static byte getByte(long address) {
    return ALL.get(BYTE, address);
  }

  static short getShort(long address) {
    return ALL.get(SHORT, address);
  }

  static int getInt(long address) {
    return ALL.get(INT, address);
  }

  static long getLong(long address) {
    return ALL.get(LONG, address);
  }

  static float getFloat(long address) {
    return ALL.get(FLOAT, address);
  }

  static double getDouble(long address) {
    return ALL.get(DOUBLE, address);
  }

  static void putByte(long address, byte value) {
    ALL.set(BYTE, address, value);
  }

  static void putShort(long address, short value) {
    ALL.set(SHORT, address, value);
  }

  static void putInt(long address, int value) {
    ALL.set(INT, address, value);
  }

  static void putLong(long address, long value) {
    ALL.set(LONG, address, value);
  }

  static void putFloat(long address, float value) {
    ALL.set(FLOAT, address, value);
  }

  static void putDouble(long address, double value) {
    ALL.set(DOUBLE, address, value);
  }

  static void copy(long from, long to, long bytes) {
    MemorySegment.copy(ALL, from, ALL, to, bytes);
  }

  /**
   * Sets bytes to 0, in a loop: filling a slice would allocate it, unless escape analysis succeeds.
   */
  static void zero(long address, long bytes) {
    long at = 0;
    for (; at + 8 <= bytes; at += 8) {
      putLong(address + at, 0);
    }
    for (; at < bytes; at++) {
      putByte(address + at, (byte) 0);
    }
  }
}
