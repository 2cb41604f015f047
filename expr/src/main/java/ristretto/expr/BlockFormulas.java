package ristretto.expr;

import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Slice;
import ristretto.expr.type.U8;
import ristretto.kernels.block.BlockFormat;

/** Elements of block-quantized matrices as formulas of their bytes. */
final class BlockFormulas {
  private static final I32 I32 = Ops.I32;
  private static final F32 F32 = Ops.F32;

  private BlockFormulas() {}

  /**
   * Decoded rows.
   *
   * @param rows bytes {@code [n, bytes of a row]}
   * @param k number of elements of a row
   * @return elements {@code [n, ...]}, whose further axes are those of a row in row-major order
   */
  static Expr<F32> decoded(BlockFormat format, Expr<U8> rows, long k) {
    Expr<I32> bytes = rows.cast(I32);
    if (format == BlockFormat.I8) {
      Expr<F32> d = word(bytes);
      return signed(bytes.slice(Ops.all(), Ops.range(4, 4 + k))).times(d);
    }
    Expr<I32> b = bytes.reshape(rows.shape().at(0), k / format.length(), format.bytes());
    return switch (format) {
      case Q8_0 -> signed(part(b, 2, 34)).times(half(b, 0));
      case Q4_0 -> {
        Expr<I32> two = part(b, 2, 18).unsqueeze(2);
        yield Ops.map(F32, two, index(2, 1), (v, h) -> (v >> 4 * h & 15) - 8)
            .times(half(b, 0).unsqueeze(3));
      }
      case Q4_K -> q4k(b);
      case Q6_K -> q6k(b);
      case I8 -> throw new AssertionError(format);
    };
  }

  /** Numbers 0, 1, ... along the first of some axes. */
  private static Expr<I32> index(long... dims) {
    long[] ones = dims.clone();
    java.util.Arrays.fill(ones, 1);
    ones[0] = dims[0];
    return Ops.mapIndexed(Ops.fill(I32, 0, ones), (zero, i) -> (int) i + zero);
  }

  /** Bytes of each block, from one to another. */
  private static Expr<I32> part(Expr<I32> b, long from, long to) {
    return b.slice(Ops.all(), Ops.all(), Ops.range(from, to));
  }

  private static Expr<F32> signed(Expr<I32> bytes) {
    return Ops.map(F32, bytes, v -> (v ^ 128) - 128);
  }

  /** F32 in the first four bytes of each row. */
  private static Expr<F32> word(Expr<I32> bytes) {
    return Ops.map(
        F32,
        byteAt(bytes, 0),
        byteAt(bytes, 1),
        byteAt(bytes, 2),
        byteAt(bytes, 3),
        (a, b, c, d) -> Float.intBitsToFloat(a | b << 8 | c << 16 | d << 24));
  }

  private static Expr<I32> byteAt(Expr<I32> bytes, long at) {
    Slice[] slices = new Slice[bytes.shape().rank()];
    java.util.Arrays.fill(slices, Ops.all());
    slices[slices.length - 1] = Ops.range(at, at + 1);
    return bytes.slice(slices);
  }

  /** F16 in two bytes of each block. */
  private static Expr<F32> half(Expr<I32> b, long at) {
    return Ops.map(F32, byteAt(b, at), byteAt(b, at + 1), BlockFormulas::half);
  }

  /** Converts an F16; without F32 numbers below the normal ones, which some devices round to 0. */
  private static float half(int low, int high) {
    int exponent = high >> 2 & 31;
    int fraction = (high & 3) << 8 | low;
    float magnitude =
        exponent == 0
            ? fraction * 0x1p-24f
            : Float.intBitsToFloat((exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13);
    return high >= 128 ? -magnitude : magnitude;
  }

  /** Elements with the axes: row, block, upper half of the scales, pair, half of the byte, byte. */
  private static Expr<F32> q4k(Expr<I32> b) {
    long n = b.shape().at(0);
    long blocks = b.shape().at(1);
    Expr<I32> code =
        Ops.map(
            part(b, 16, 144).reshape(n, blocks, 2, 2, 1, 32),
            index(2, 1),
            (v, h) -> v >> 4 * h & 15);
    Expr<I32> own = part(b, 4, 12).reshape(n, blocks, 2, 2, 2, 1);
    Expr<I32> next = part(b, 8, 16).reshape(n, blocks, 2, 2, 2, 1);
    Expr<I32> first = part(b, 4, 8).reshape(n, blocks, 1, 2, 2, 1);
    Expr<I32> upper = index(2, 1, 1, 1);
    Expr<I32> s =
        Ops.map(own, next, first, upper, (v, w, u, h) -> h == 0 ? v & 63 : w & 15 | u >> 6 << 4);
    Expr<I32> m = Ops.map(own, next, upper, (v, w, h) -> h == 0 ? w & 63 : w >> 4 | v >> 6 << 4);
    Expr<F32> d = half(b, 0).reshape(n, blocks, 1, 1, 1, 1);
    Expr<F32> e = half(b, 2).reshape(n, blocks, 1, 1, 1, 1);
    return code.cast(F32).times(d.times(s.cast(F32))).minus(e.times(m.cast(F32)));
  }

  /**
   * Elements with the axes: row, block, half of the block, upper half of the bits, byte of 64 in 2,
   * 2 and 16.
   */
  private static Expr<F32> q6k(Expr<I32> b) {
    long n = b.shape().at(0);
    long blocks = b.shape().at(1);
    Expr<I32> low =
        Ops.map(
            part(b, 0, 128).reshape(n, blocks, 2, 1, 2, 2, 16),
            index(2, 1, 1, 1),
            (v, h) -> v >> 4 * h & 15);
    Expr<I32> quarter = Ops.map(index(2, 1, 1, 1), index(2, 1, 1), (h, l) -> 2 * h + l);
    Expr<I32> high =
        Ops.map(
            part(b, 128, 192).reshape(n, blocks, 2, 1, 1, 2, 16),
            quarter,
            (v, q) -> (v >> 2 * q & 3) << 4);
    Expr<F32> s = signed(part(b, 192, 208)).reshape(n, blocks, 2, 2, 2, 2, 1);
    Expr<F32> d = half(b, 208).reshape(n, blocks, 1, 1, 1, 1, 1);
    return Ops.map(F32, low, high, (l, h) -> (l | h) - 32).times(d.times(s));
  }
}
