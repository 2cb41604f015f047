package ristretto.expr.formula;

import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.I32;

import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Emits kernel arithmetic that rounds F32 values to F16 or BF16 precision (nearest, ties to even).
 */
final class NarrowFloats {
  private NarrowFloats() {}

  static int bfloat(TapeBuilder t, int x) {
    return keepNaN(t, x, roundMantissa(t, x, 16));
  }

  static int half(TapeBuilder t, int x) {
    int magnitude = t.apply(Op.ABS, x);
    // Subnormal halves have a spacing of 2^-24; adding and subtracting 0.75 rounds to it.
    int shift = t.constant(F32, 0.75);
    int small = t.apply(Op.COPYSIGN, t.apply(Op.SUB, t.apply(Op.ADD, magnitude, shift), shift), x);
    int normal = roundMantissa(t, x, 13);
    int infinity = t.apply(Op.COPYSIGN, t.constant(F32, Double.POSITIVE_INFINITY), x);
    int large = t.apply(Op.GE, t.apply(Op.ABS, normal), t.constant(F32, 65536));
    int rounded = t.apply(Op.SELECT, large, infinity, normal);
    rounded =
        t.apply(Op.SELECT, t.apply(Op.LT, magnitude, t.constant(F32, 0x1p-14)), small, rounded);
    return keepNaN(t, x, rounded);
  }

  /**
   * Rounds off the lowest {@code bits} of the mantissa; a carry into the exponent gives the correct
   * result.
   */
  private static int roundMantissa(TapeBuilder t, int x, int bits) {
    int word = t.bitcast(x, I32);
    int odd = t.apply(Op.AND, t.apply(Op.USHR, word, t.constant(I32, bits)), t.constant(I32, 1));
    int up = t.apply(Op.ADD, t.apply(Op.ADD, word, t.constant(I32, (1 << (bits - 1)) - 1)), odd);
    return t.bitcast(t.apply(Op.AND, up, t.constant(I32, -(1 << bits))), F32);
  }

  private static int keepNaN(TapeBuilder t, int x, int rounded) {
    return t.apply(Op.SELECT, t.apply(Op.NE, x, x), x, rounded);
  }
}
