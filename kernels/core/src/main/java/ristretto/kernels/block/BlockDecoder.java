package ristretto.kernels.block;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Decodes rows of block-quantized matrices into F32. */
public final class BlockDecoder {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat OWN = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private BlockDecoder() {}

  /**
   * Decodes a part of a row.
   *
   * @param source memory of the row, from byte {@code row} on
   * @param from first element, a multiple of the block's length
   * @param count number of elements, a multiple of the block's length unless the row ends
   * @param to memory of the elements, from byte {@code toAt} on
   */
  public static void decode(
      BlockFormat format,
      MemorySegment source,
      long row,
      long from,
      long count,
      MemorySegment to,
      long toAt) {
    if (format == BlockFormat.I8) {
      scaled(source, row + 4 + from, count, source.get(FLOAT, row), to, toAt);
      return;
    }
    long at = row + from / format.length() * format.bytes();
    for (long k = 0; k < count; k += format.length()) {
      switch (format) {
        case Q8_0 -> scaled(source, at + 2, 32, half(source, at), to, toAt);
        case Q4_0 -> q4(source, at, to, toAt);
        case Q4_K -> q4k(source, at, to, toAt);
        case Q6_K -> q6k(source, at, to, toAt);
        case I8 -> throw new AssertionError(format);
      }
      at += format.bytes();
      toAt += 4L * format.length();
    }
  }

  private static float half(MemorySegment from, long at) {
    return Float.float16ToFloat(from.get(SHORT, at));
  }

  private static int unsigned(MemorySegment from, long at) {
    return from.get(BYTE, at) & 255;
  }

  private static void scaled(
      MemorySegment from, long at, long count, float d, MemorySegment to, long toAt) {
    for (long k = 0; k < count; k++) {
      to.set(OWN, toAt + 4 * k, d * from.get(BYTE, at + k));
    }
  }

  private static void q4(MemorySegment from, long at, MemorySegment to, long toAt) {
    float d = half(from, at);
    for (long k = 0; k < 16; k++) {
      int two = unsigned(from, at + 2 + k);
      to.set(OWN, toAt + 4 * k, d * ((two & 15) - 8));
      to.set(OWN, toAt + 4 * (k + 16), d * ((two >> 4) - 8));
    }
  }

  private static void q4k(MemorySegment from, long at, MemorySegment to, long toAt) {
    float d = half(from, at);
    float e = half(from, at + 2);
    for (int pair = 0; pair < 4; pair++) {
      float s0 = d * scale(from, at + 4, 2 * pair);
      float m0 = e * least(from, at + 4, 2 * pair);
      float s1 = d * scale(from, at + 4, 2 * pair + 1);
      float m1 = e * least(from, at + 4, 2 * pair + 1);
      for (long k = 0; k < 32; k++) {
        int two = unsigned(from, at + 16 + 32L * pair + k);
        to.set(OWN, toAt + 4 * (64L * pair + k), s0 * (two & 15) - m0);
        to.set(OWN, toAt + 4 * (64L * pair + 32 + k), s1 * (two >> 4) - m1);
      }
    }
  }

  /** Returns the scale of 32 elements of a block of Q4_K: 6 bits. */
  private static int scale(MemorySegment from, long at, int part) {
    return part < 4
        ? unsigned(from, at + part) & 63
        : unsigned(from, at + part + 4) & 15 | unsigned(from, at + part - 4) >> 6 << 4;
  }

  /** Returns the number that is subtracted from 32 elements of a block of Q4_K: 6 bits. */
  private static int least(MemorySegment from, long at, int part) {
    return part < 4
        ? unsigned(from, at + part + 4) & 63
        : unsigned(from, at + part + 4) >> 4 | unsigned(from, at + part) >> 6 << 4;
  }

  private static void q6k(MemorySegment from, long at, MemorySegment to, long toAt) {
    float d = half(from, at + 208);
    for (int element = 0; element < 256; element++) {
      int side = element / 128;
      int quarter = element / 32 % 4;
      int k = element % 32;
      int low = unsigned(from, at + 64L * side + 32L * (quarter % 2) + k) >> 4 * (quarter / 2) & 15;
      int high = unsigned(from, at + 128 + 32L * side + k) >> 2 * quarter & 3;
      float s = d * from.get(BYTE, at + 192 + element / 16);
      to.set(OWN, toAt + 4L * element, s * ((low | high << 4) - 32));
    }
  }
}
