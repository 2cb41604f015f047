package ristretto.kernels.math;

import ristretto.kernels.scalar.Op;

/**
 * Logarithms: {@code x = m 2^e} with m in [sqrt 1/2, sqrt 2), and a minimax polynomial in m - 1
 * (F32) or in {@code s = (m - 1) / (m + 1)} (F64, as in fdlibm).
 */
final class ExpandLogarithm {
  // (log(1 + f) - f + f^2 / 2) / f^3
  private static final double[] LOG32 = {
    0.0691553876,
    -0.117898792,
    0.11872936,
    -0.123843335,
    0.142186612,
    -0.166692525,
    0.200022265,
    -0.249999866,
    0.333333105
  };
  // (2 atanh(s) / s - 2) / s^2, as a polynomial in s^2
  private static final double[] LOG64 = {
    0.147975082181370815,
    0.153139032118912721,
    0.181835697404951785,
    0.222221984759882418,
    0.285714287432624281,
    0.399999999994110955,
    0.666666666666673513
  };

  private static final double LN2_HIGH_32 = 0.693359375;
  private static final double LN2_LOW_32 = -2.12194440e-4;
  private static final double LN2_HIGH_64 = 6.93147180369123816490e-01;
  private static final double LN2_LOW_64 = 1.90821492927058770002e-10;

  // Exact logarithm of e minus the nearest double.
  private static final double LOG2E_LOW = 2.0355273740931033e-17;
  private static final double LOG10E_LOW = 1.098319650216765e-17;

  private final Formula f;
  private final boolean single;

  ExpandLogarithm(Formula f) {
    this.f = f;
    this.single = f.single();
  }

  /**
   * Mantissa and exponent of an argument.
   *
   * @param exponent e, as a floating-point number
   * @param fraction m - 1
   * @param shifted e, as an integer
   */
  private record Split(int exponent, int fraction, int shifted) {}

  /**
   * Splits a positive normal number.
   *
   * @param bias the bits of sqrt(1/2), plus the exponent by which {@code u} was scaled up, in the
   *     position of the exponent
   */
  private Split split(int u, int bias) {
    int bits = f.tape.apply(Op.SUB, f.bits(u), bias);
    int shifted = f.shiftRight(bits, f.mantissaBits());
    int mantissa = f.and(bits, f.i((1L << f.mantissaBits()) - 1));
    int m = f.fromBits(f.plus(mantissa, rootHalf()));
    return new Split(f.tape.convert(shifted, f.type), f.sub(m, f.c(1)), shifted);
  }

  private long rootHalf() {
    return single ? 0x3F3504F3L : 0x3FE6A09E667F3BCDL;
  }

  /** Splits any positive number; subnormal ones are scaled up first. */
  private Split split(int x) {
    int subnormal = f.less(x, f.c(single ? Float.MIN_NORMAL : Double.MIN_NORMAL));
    int bits = f.mantissaBits();
    int u = f.select(subnormal, f.mul(x, f.c(single ? 0x1p23 : 0x1p52)), x);
    long scaled = rootHalf() + ((long) bits << bits);
    return split(u, f.select(subnormal, f.i(scaled), f.i(rootHalf())));
  }

  /** Returns log(1 + f) - f. */
  private int rest(int fraction) {
    int square = f.mul(fraction, fraction);
    if (single) {
      int p = f.mul(f.polynomial(fraction, LOG32), fraction);
      return f.fma(p, square, f.mul(square, f.c(-0.5)));
    }
    int s = f.div(fraction, f.add(fraction, f.c(2)));
    int z = f.mul(s, s);
    int half = f.mul(square, f.c(0.5));
    int sum = f.fma(f.polynomial(z, LOG64), z, half);
    return f.sub(f.mul(s, sum), half);
  }

  /**
   * Returns {@code result} for arguments above the pole, infinity and NaN for themselves, -infinity
   * at the pole and NaN below.
   */
  private int ends(int x, int result, double pole) {
    int finite = f.select(f.less(x, f.c(Double.POSITIVE_INFINITY)), result, x);
    int belowOrNan =
        f.select(f.equal(x, f.c(pole)), f.c(Double.NEGATIVE_INFINITY), f.c(Double.NaN));
    return f.select(f.greater(x, f.c(pole)), finite, belowOrNan);
  }

  int log(int x) {
    // Positive, normal and finite numbers: their bits are at least 2^23 (2^52) and below those of
    // infinity.
    long least = 1L << f.mantissaBits();
    int biased = f.plus(f.bits(x), least);
    int usual = f.tape.apply(Op.GE, biased, f.i(2 * least));
    int fast = join(split(x, f.i(rootHalf())));
    return f.unless(usual, fast, x, "log", (g, y) -> new ExpandLogarithm(g).logAnywhere(y));
  }

  private int logAnywhere(int x) {
    return ends(x, join(split(x)), 0);
  }

  private int join(Split s) {
    int low = f.fma(s.exponent, f.c(single ? LN2_LOW_32 : LN2_LOW_64), rest(s.fraction));
    int sum = f.add(s.fraction, low);
    return f.fma(s.exponent, f.c(single ? LN2_HIGH_32 : LN2_HIGH_64), sum);
  }

  /**
   * Logarithm to another base.
   *
   * @param factor log of 2 in that base
   * @param scale log of e in that base
   */
  private int other(int x, double factor, double scale) {
    Split s = split(x);
    int rest = rest(s.fraction);
    int natural = f.add(s.fraction, rest);
    int lost = f.add(f.sub(s.fraction, natural), rest);
    double scaleHigh = single ? (float) scale : scale;
    double scaleLow =
        single ? scale - scaleHigh : scale == 1 / Math.log(2) ? LOG2E_LOW : LOG10E_LOW;
    int small = f.fma(natural, f.c(scaleLow), f.mul(lost, f.c(scaleHigh)));
    int fraction = f.fma(natural, f.c(scaleHigh), small);
    if (factor == 1) {
      return ends(x, f.add(s.exponent, fraction), 0);
    }
    // The high part is short, so that its products with exponents are exact.
    double high = single ? 0x1.344p-2 : 3.01029995663611771306e-01;
    double low = single ? factor - high : 3.69423907715893078616e-13;
    int sum = f.fma(s.exponent, f.c(low), fraction);
    return ends(x, f.fma(s.exponent, f.c(high), sum), 0);
  }

  int log2(int x) {
    return other(x, 1, 1 / Math.log(2));
  }

  int log10(int x) {
    return other(x, Math.log10(2), 1 / Math.log(10));
  }

  /** Returns log(1 + x) as log(u + c), where u is 1 + x rounded and c the rounding error. */
  int log1p(int x) {
    int u = f.add(f.c(1), x);
    int lost = f.sub(x, f.sub(u, f.c(1)));
    Split s = split(u, f.i(rootHalf()));
    int fraction = s.fraction;
    int unit =
        f.fromBits(f.tape.apply(Op.SUB, f.i(f.one()), f.shiftLeft(s.shifted, f.mantissaBits())));
    // c / (1 + f), accurate to half an ulp of the result.
    int reciprocal = f.fma(fraction, f.sub(fraction, f.c(1)), f.c(1));
    int correction = f.mul(f.mul(lost, unit), reciprocal);
    // Large x have no rounding error to correct, and 2^-e may not be a normal number.
    int large = f.greater(f.abs(x), f.c(single ? 0x1p30 : 0x1p60));
    correction = f.select(large, f.c(0), correction);
    int low = f.fma(s.exponent, f.c(single ? LN2_LOW_32 : LN2_LOW_64), rest(fraction));
    int sum = f.add(fraction, f.add(low, correction));
    int result = f.fma(s.exponent, f.c(single ? LN2_HIGH_32 : LN2_HIGH_64), sum);
    int tiny = f.less(f.abs(x), f.c(single ? 0x1p-26 : 0x1p-55));
    return f.select(tiny, x, ends(x, result, -1));
  }

  /**
   * Returns {@code log1p(z)}, which is the inverse hyperbolic function of {@code a}, or {@code log
   * a + log 2} where the square of {@code a} would overflow.
   */
  private int area(int a, int z) {
    int large = f.greater(a, f.c(0x1p28));
    int log = f.add(log(a), f.c(Math.log(2)));
    return f.select(large, log, log1p(f.select(large, f.c(1), z)));
  }

  int asinh(int x) {
    int a = f.abs(x);
    int square = f.mul(a, a);
    int root = f.apply(Op.SQRT, f.add(square, f.c(1)));
    int z = f.add(a, f.div(square, f.add(root, f.c(1))));
    return f.copySign(area(a, z), x);
  }

  int acosh(int x) {
    int t = f.sub(x, f.c(1));
    int root = f.apply(Op.SQRT, f.mul(t, f.add(t, f.c(2))));
    // NaN for x < 1 is selected explicitly: below -1 the root is real again.
    int value = area(x, f.add(t, root));
    return f.select(f.less(x, f.c(1)), f.c(Double.NaN), value);
  }

  int atanh(int x) {
    int a = f.abs(x);
    int twice = f.add(a, a);
    int half = f.mul(f.c(0.5), log1p(f.div(twice, f.sub(f.c(1), a))));
    return f.copySign(f.select(f.greater(a, f.c(1)), f.c(Double.NaN), half), x);
  }
}
