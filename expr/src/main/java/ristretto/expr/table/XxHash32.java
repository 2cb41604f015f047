package ristretto.expr.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Checksum of LZ4 frames.
 *
 * <p>Source: "xxHash fast digest algorithm" 0.1.1, XXH32 with seed 0.
 */
final class XxHash32 {
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int PRIME_1 = 0x9E3779B1;
  private static final int PRIME_2 = 0x85EBCA77;
  private static final int PRIME_3 = 0xC2B2AE3D;
  private static final int PRIME_4 = 0x27D4EB2F;
  private static final int PRIME_5 = 0x165667B1;
  private static final int LANES = 16;

  private XxHash32() {}

  static int of(byte[] bytes, int from, int length) {
    int at = from;
    int end = from + length;
    int hash = PRIME_5;
    if (length >= LANES) {
      int a = 0x24234428; // PRIME_1 + PRIME_2
      int b = PRIME_2;
      int c = 0;
      int d = 0x61C8864F; // -PRIME_1
      for (; at <= end - LANES; at += LANES) {
        a = round(a, (int) INTS.get(bytes, at));
        b = round(b, (int) INTS.get(bytes, at + 4));
        c = round(c, (int) INTS.get(bytes, at + 8));
        d = round(d, (int) INTS.get(bytes, at + 12));
      }
      hash =
          Integer.rotateLeft(a, 1)
              + Integer.rotateLeft(b, 7)
              + Integer.rotateLeft(c, 12)
              + Integer.rotateLeft(d, 18);
    }
    hash += length;
    for (; at <= end - Integer.BYTES; at += Integer.BYTES) {
      hash = Integer.rotateLeft(hash + (int) INTS.get(bytes, at) * PRIME_3, 17) * PRIME_4;
    }
    for (; at < end; at++) {
      hash = Integer.rotateLeft(hash + (bytes[at] & 0xFF) * PRIME_5, 11) * PRIME_1;
    }
    hash = (hash ^ hash >>> 15) * PRIME_2;
    hash = (hash ^ hash >>> 13) * PRIME_3;
    return hash ^ hash >>> 16;
  }

  private static int round(int lane, int word) {
    return Integer.rotateLeft(lane + word * PRIME_2, 13) * PRIME_1;
  }
}
