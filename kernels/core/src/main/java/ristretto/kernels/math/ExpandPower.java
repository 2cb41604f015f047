package ristretto.kernels.math;

import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * Power, cube root, hypot and the inverse hyperbolic functions of F32, computed in F64: a logarithm
 * with 40 correct bits is short there, and no intermediate result overflows or is subnormal.
 */
final class ExpandPower {
  // 2 / ln 2 atanh(s) / s, as a polynomial in s^2
  private static final double[] LOG2 = {
    0.282929760591874691,
    0.319903669525097911,
    0.412209300714743321,
    0.577077941897376379,
    0.961796694114913642,
    2.88539008177784906
  };
  private static final double[] EXP2 = {
    1.52019193314082419e-5, 1.54692914181913413e-4, 1.33339225823905804e-3, 9.61802725273870444e-3,
    5.55041035339986916e-2, 0.240226511981636803, 0.693147180728486245, 0.999999999961683761
  };

  private static final long ROOT_HALF = 0x3FE6A09E667F3BCDL;

  private final Formula f;
  private final Formula g;

  ExpandPower(Formula f) {
    this.f = f;
    this.g = f.wide();
  }

  private int wide(int x) {
    return f.tape.convert(x, ScalarType.F64);
  }

  /** Returns log2 of a positive normal number, 0, infinity or NaN. */
  private int log2(int a) {
    int bits = g.plus(g.bits(a), -ROOT_HALF);
    int e = g.shiftRight(bits, 52);
    int m = g.fromBits(g.plus(g.and(bits, g.i((1L << 52) - 1)), ROOT_HALF));
    int s = g.div(g.sub(m, g.c(1)), g.add(m, g.c(1)));
    // The small exponent becomes the low bits of a magic number, which avoids a 64-bit conversion.
    int exponent = g.sub(g.fromBits(g.plus(e, 0x4338000000000000L)), g.magic());
    int result = g.fma(g.polynomial(g.mul(s, s), LOG2), s, exponent);
    result = g.select(g.equal(a, g.c(0)), g.c(Double.NEGATIVE_INFINITY), result);
    return g.select(g.less(a, g.c(Double.POSITIVE_INFINITY)), result, a);
  }

  /** Returns 2^p over the range of F32, including overflow and underflow. */
  private int exp2(int p) {
    int clamped = g.clamp(p, -300, 300);
    int shifted = g.add(clamped, g.magic());
    int r = g.sub(clamped, g.sub(shifted, g.magic()));
    return g.mul(g.polynomial(r, EXP2), g.powerOfTwo(g.bits(shifted)));
  }

  int pow(int x32, int y32) {
    int x = wide(x32);
    int y = wide(y32);
    int magnitude = exp2(g.mul(y, log2(g.abs(x))));
    magnitude = g.select(g.equal(y, g.c(0)), g.c(1), magnitude);
    // All F32 numbers from 2^25 on are even integers, so clamping to 2^25 keeps the parity.
    int bounded = g.clamp(y, -0x1p25, 0x1p25);
    int shifted = g.add(bounded, g.magic());
    int whole = g.equal(g.sub(shifted, g.magic()), bounded);
    int odd = g.tape.apply(Op.AND, whole, g.equal(g.and(g.bits(shifted), g.i(1)), g.i(1)));
    int negative = g.less(g.copySign(g.c(1), x), g.c(0));
    int signed = g.select(g.tape.apply(Op.AND, negative, odd), g.neg(magnitude), magnitude);
    int root = g.tape.apply(Op.AND, g.less(x, g.c(0)), g.greater(x, g.c(-1e300)));
    root = g.tape.apply(Op.AND, root, g.tape.apply(Op.NE, g.sub(shifted, g.magic()), bounded));
    return ExpandArc.narrow(f, g.select(root, g.c(Double.NaN), signed));
  }

  int cbrt(int x32) {
    int x = wide(x32);
    int root = g.copySign(exp2(g.mul(log2(g.abs(x)), g.c(1.0 / 3))), x);
    // Infinity was clamped above and is restored here.
    int finite = g.less(g.abs(x), g.c(Double.POSITIVE_INFINITY));
    int value = g.select(finite, root, x);
    return ExpandArc.narrow(f, g.select(g.equal(x, g.c(0)), x, value));
  }

  int hypot(int a32, int b32) {
    int a = g.abs(wide(a32));
    int b = g.abs(wide(b32));
    int root = g.apply(Op.SQRT, g.fma(a, a, g.mul(b, b)));
    int infinity = g.c(Double.POSITIVE_INFINITY);
    int infinite = g.tape.apply(Op.OR, g.equal(a, infinity), g.equal(b, infinity));
    return ExpandArc.narrow(f, g.select(infinite, infinity, root));
  }

  private int log(int a) {
    return g.mul(log2(a), g.c(Math.log(2)));
  }

  int asinh(int x32) {
    int x = wide(x32);
    int a = g.abs(x);
    int square = g.mul(a, a);
    int large = log(g.add(a, g.apply(Op.SQRT, g.add(square, g.c(1)))));
    int small = g.fma(g.mul(g.polynomial(square, 3.0 / 40, -1.0 / 6), square), a, a);
    return ExpandArc.narrow(f, g.copySign(g.select(g.less(a, g.c(0.02)), small, large), x));
  }

  int acosh(int x32) {
    int x = wide(x32);
    int root = g.apply(Op.SQRT, g.mul(g.sub(x, g.c(1)), g.add(x, g.c(1))));
    int result = g.select(g.less(x, g.c(1)), g.c(Double.NaN), log(g.add(x, root)));
    return ExpandArc.narrow(f, result);
  }

  int atanh(int x32) {
    int x = wide(x32);
    int a = g.abs(x);
    int square = g.mul(a, a);
    int large = log(g.div(g.add(g.c(1), a), g.sub(g.c(1), a)));
    int half = g.select(g.greater(a, g.c(1)), g.c(Double.NaN), g.mul(large, g.c(0.5)));
    int small = g.fma(g.mul(g.polynomial(square, 1.0 / 5, 1.0 / 3), square), a, a);
    return ExpandArc.narrow(f, g.copySign(g.select(g.less(a, g.c(0.02)), small, half), x));
  }
}
