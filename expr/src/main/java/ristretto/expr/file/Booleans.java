package ristretto.expr.file;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Kernels rely on a BOOL being 0 or 1. */
final class Booleans {
  private static final long HIGH_BITS = 0xfefefefefefefefeL;

  private Booleans() {}

  /** Throws at the first byte of a range that is neither 0 nor 1. */
  static void check(FileBytes file, long start, long length) {
    MemorySegment data = file.bytes();
    long end = start + length;
    for (long at = start; at < end; ) {
      if (end - at >= 8 && (data.get(ValueLayout.JAVA_LONG_UNALIGNED, at) & HIGH_BITS) == 0) {
        at += 8;
      } else if (file.u8(at, "data") <= 1) {
        at++;
      } else {
        throw file.malformed(at, "a bool must be 0 or 1", Integer.toString(file.u8(at, "data")));
      }
    }
  }
}
