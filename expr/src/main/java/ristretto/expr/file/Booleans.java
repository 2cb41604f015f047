package ristretto.expr.file;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Validation of BOOL elements, which kernels assume to be 0 or 1. */
final class Booleans {
  private static final long HIGH_BITS = 0xfefefefefefefefeL;

  private Booleans() {}

  /**
   * Throws a FileFormatException at the first byte that is neither 0 nor 1; {@code start} is the
   * file offset of {@code data}.
   */
  static void check(FileBytes file, long start, MemorySegment data) {
    long end = data.byteSize();
    for (long at = 0; at < end; ) {
      if (end - at >= 8 && (data.get(ValueLayout.JAVA_LONG_UNALIGNED, at) & HIGH_BITS) == 0) {
        at += 8;
        continue;
      }
      int value = data.get(ValueLayout.JAVA_BYTE, at) & 0xff;
      if (value > 1) {
        throw file.malformed(start + at, "a bool must be 0 or 1", Integer.toString(value));
      }
      at++;
    }
  }
}
