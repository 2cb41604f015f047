package ristretto.kernels.block;

import java.util.Locale;

/**
 * Layout of a block-quantized matrix: each row is a sequence of blocks of consecutive elements, and
 * a block is a scale with small integers. All but {@link #I8} are those of GGUF files,
 * little-endian:
 *
 * <pre>
 * Q8_0   32 elements  d: F16, q: 32 x I8                     d q
 * Q4_0   32 elements  d: F16, q: 16 bytes                    d (q - 8)
 * Q4_K  256 elements  d, e: F16, 8 x (s, m): 12 bytes,       d s q - e m
 *                     q: 128 bytes
 * Q6_K  256 elements  low bits: 128 bytes, high bits: 64,    d s (q - 32)
 *                     s: 16 x I8, d: F16
 * I8    a row         d: F32, q: I8, padded to 4 bytes       d q
 * </pre>
 *
 * <p>A byte of Q4_0 has elements k and k + 16 in its lower and upper half. In Q4_K, 32 bytes have
 * 64 elements in the same way, and s and m are of 6 bits for 32 elements each. In Q6_K, s is for 16
 * elements.
 */
public enum BlockFormat {
  /** 8 bits, a scale for 32 elements. */
  Q8_0(32, 34),
  /** 4 bits, a scale for 32 elements. */
  Q4_0(32, 18),
  /** 4 bits, a scale and an offset for 32 elements. */
  Q4_K(256, 144),
  /** 6 bits, a scale for 16 elements. */
  Q6_K(256, 210),
  /** 8 bits, a scale for a row. */
  I8(1, 1);

  private static final int ROW_SCALE = 4;

  private final int length;
  private final int bytes;

  BlockFormat(int length, int bytes) {
    this.length = length;
    this.bytes = bytes;
  }

  /** Number of elements of a block, which divides the length of a row; 1 for {@link #I8}. */
  public int length() {
    return length;
  }

  /** Number of bytes of a block; 1 for {@link #I8}, without the scale of the row. */
  public int bytes() {
    return bytes;
  }

  /** Number of bytes of a row. */
  public long rowBytes(long elements) {
    return this == I8 ? ROW_SCALE + (elements + 3) / 4 * 4 : elements / length * bytes;
  }

  /** Lower-case name, as printed in shapes. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
