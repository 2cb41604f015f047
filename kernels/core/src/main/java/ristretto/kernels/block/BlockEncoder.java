package ristretto.kernels.block;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Quantizes rows of F32 matrices. The error of an element is at most half a step; a step is 1/127
 * of the largest magnitude of the block for Q8_0 (of the row for I8), 1/8 for Q4_0, and in the K
 * formats it is chosen for each 32 or 16 elements to minimize the squared error. NaN and infinities
 * have no meaningful code; callers refuse them.
 */
public final class BlockEncoder {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Rounds of fitting a scale to the codes and the codes to the scale. */
  private static final int ROUNDS = 4;

  private BlockEncoder() {}

  /**
   * Quantizes a row.
   *
   * @param row elements from {@code from} on
   * @param to memory of the row, from byte {@code at} on
   */
  public static void encode(
      BlockFormat format, float[] row, int from, int count, MemorySegment to, long at) {
    if (format == BlockFormat.I8) {
      float d = largest(row, from, count) / 127;
      to.set(FLOAT, at, d);
      bytes(row, from, count, d, to, at + 4);
      for (int k = count; k % 4 != 0; k++) {
        to.set(BYTE, at + 4 + k, (byte) 0);
      }
      return;
    }
    for (int k = from; k < from + count; k += format.length()) {
      switch (format) {
        case Q8_0 -> q8(row, k, to, at);
        case Q4_0 -> q4(row, k, to, at);
        case Q4_K -> q4k(row, k, to, at);
        case Q6_K -> q6k(row, k, to, at);
        case I8 -> throw new AssertionError(format);
      }
      at += format.bytes();
    }
  }

  private static float largest(float[] row, int from, int count) {
    float most = 0;
    for (int k = 0; k < count; k++) {
      most = Math.max(most, Math.abs(row[from + k]));
    }
    return most;
  }

  private static float inverse(float d) {
    return d == 0 ? 0 : 1 / d;
  }

  private static int nearest(float x, int least, int most) {
    return Math.clamp(Math.round(x), least, most);
  }

  /** Stores a number as F16 and returns what was stored. */
  private static float half(float d, MemorySegment to, long at) {
    short bits = Float.floatToFloat16(d);
    to.set(SHORT, at, bits);
    return Float.float16ToFloat(bits);
  }

  private static void bytes(float[] row, int from, int count, float d, MemorySegment to, long at) {
    float by = inverse(d);
    for (int k = 0; k < count; k++) {
      to.set(BYTE, at + k, (byte) nearest(row[from + k] * by, -127, 127));
    }
  }

  private static void q8(float[] row, int from, MemorySegment to, long at) {
    bytes(row, from, 32, half(largest(row, from, 32) / 127, to, at), to, at + 2);
  }

  private static void q4(float[] row, int from, MemorySegment to, long at) {
    // The element of the largest magnitude gets the code -8, which has no positive counterpart.
    float most = 0;
    for (int k = 0; k < 32; k++) {
      most = Math.abs(row[from + k]) > Math.abs(most) ? row[from + k] : most;
    }
    float by = inverse(half(most == 0 ? 0 : most / -8, to, at));
    for (int k = 0; k < 16; k++) {
      int low = nearest(row[from + k] * by, -8, 7) + 8;
      int high = nearest(row[from + k + 16] * by, -8, 7) + 8;
      to.set(BYTE, at + 2 + k, (byte) (low | high << 4));
    }
  }

  private static void q4k(float[] row, int from, MemorySegment to, long at) {
    var scales = new float[8];
    var leasts = new float[8];
    for (int part = 0; part < 8; part++) {
      fit(row, from + 32 * part, scales, leasts, part);
    }
    float d = half(largest(scales, 0, 8) / 63, to, at);
    float e = half(largest(leasts, 0, 8) / 63, to, at + 2);
    var s = new int[8];
    var m = new int[8];
    for (int part = 0; part < 8; part++) {
      s[part] = nearest(scales[part] * inverse(d), 0, 63);
      m[part] = nearest(leasts[part] * inverse(e), 0, 63);
    }
    for (int k = 0; k < 4; k++) {
      to.set(BYTE, at + 4 + k, (byte) (s[k] | s[k + 4] >> 4 << 6));
      to.set(BYTE, at + 8 + k, (byte) (m[k] | m[k + 4] >> 4 << 6));
      to.set(BYTE, at + 12 + k, (byte) (s[k + 4] & 15 | (m[k + 4] & 15) << 4));
    }
    for (int k = 0; k < 128; k++) {
      int pair = k / 32;
      int low = code(row[from + 64 * pair + k % 32], d * s[2 * pair], e * m[2 * pair]);
      int high =
          code(row[from + 64 * pair + 32 + k % 32], d * s[2 * pair + 1], e * m[2 * pair + 1]);
      to.set(BYTE, at + 16 + k, (byte) (low | high << 4));
    }
  }

  private static int code(float x, float scale, float least) {
    return nearest((x + least) * inverse(scale), 0, 15);
  }

  /**
   * Finds a scale and a number to subtract, neither negative, for 32 elements of Q4_K: at first
   * those that span the elements, then by least squares for the codes that these give.
   */
  private static void fit(float[] row, int from, float[] scales, float[] leasts, int part) {
    float low = 0;
    float high = 0;
    for (int k = from; k < from + 32; k++) {
      low = Math.min(low, row[k]);
      high = Math.max(high, row[k]);
    }
    float scale = (high - low) / 15;
    float least = -low;
    double best = Double.POSITIVE_INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
      double error = 0;
      double q1 = 0;
      double q2 = 0;
      double x1 = 0;
      double xq = 0;
      for (int k = from; k < from + 32; k++) {
        int q = code(row[k], scale, least);
        double off = scale * q - least - (double) row[k];
        error += off * off;
        q1 += q;
        q2 += (double) q * q;
        x1 += row[k];
        xq += (double) row[k] * q;
      }
      if (error >= best) {
        return;
      }
      best = error;
      scales[part] = scale;
      leasts[part] = least;
      double det = 32 * q2 - q1 * q1;
      if (det <= 0) {
        return;
      }
      scale = (float) ((32 * xq - q1 * x1) / det);
      least = (float) ((scale * q1 - x1) / 32);
      if (least < 0) {
        least = 0;
        scale = (float) (xq / q2);
      }
      if (!(scale > 0)) {
        return;
      }
    }
  }

  private static void q6k(float[] row, int from, MemorySegment to, long at) {
    var scales = new float[16];
    for (int part = 0; part < 16; part++) {
      scales[part] = symmetric(row, from + 16 * part);
    }
    float d = half(largest(scales, 0, 16) / 127, to, at + 208);
    var codes = new int[256];
    for (int part = 0; part < 16; part++) {
      int s = nearest(scales[part] * inverse(d), -127, 127);
      to.set(BYTE, at + 192 + part, (byte) s);
      float by = inverse(d * s);
      for (int k = 16 * part; k < 16 * part + 16; k++) {
        codes[k] = nearest(row[from + k] * by, -32, 31) + 32;
      }
    }
    var packed = new byte[192];
    for (int element = 0; element < 256; element++) {
      int side = element / 128;
      int quarter = element / 32 % 4;
      int k = element % 32;
      int low = 64 * side + 32 * (quarter % 2) + k;
      int high = 128 + 32 * side + k;
      packed[low] |= (byte) ((codes[element] & 15) << 4 * (quarter / 2));
      packed[high] |= (byte) (codes[element] >> 4 << 2 * quarter);
    }
    MemorySegment.copy(MemorySegment.ofArray(packed), 0, to, at, packed.length);
  }

  /**
   * Finds the scale of 16 elements of Q6_K; it is negative if the largest magnitude is of a
   * positive element, which then gets the code -32.
   */
  private static float symmetric(float[] row, int from) {
    float most = 0;
    for (int k = from; k < from + 16; k++) {
      most = Math.abs(row[k]) > Math.abs(most) ? row[k] : most;
    }
    float scale = most / -32;
    float kept = scale;
    double best = Double.POSITIVE_INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
      double error = 0;
      double q2 = 0;
      double xq = 0;
      float by = inverse(scale);
      for (int k = from; k < from + 16; k++) {
        int q = nearest(row[k] * by, -32, 31);
        double off = scale * q - (double) row[k];
        error += off * off;
        q2 += (double) q * q;
        xq += (double) row[k] * q;
      }
      if (error >= best || q2 == 0) {
        return kept;
      }
      best = error;
      kept = scale;
      scale = (float) (xq / q2);
    }
    return kept;
  }

  /** Returns true if all elements are finite. */
  public static boolean isFinite(float[] row) {
    float sum = 0;
    for (float x : row) {
      sum += x * 0;
    }
    return sum == 0;
  }
}
