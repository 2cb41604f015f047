package ristretto.kernels.math;

import ristretto.kernels.scalar.Op;

/**
 * Exponential and related functions: {@code x = n ln 2 + r} with {@code |r| <= ln 2 / 2}, a minimax
 * polynomial in r, and scaling by 2^n. Arguments are clamped to slightly more than the range where
 * the result is finite, so that the scaling overflows as the function does.
 */
final class ExpandExponential {
  private static final double[] EXP32 = {
    0.00138145941, 0.00836871658, 0.041668389, 0.166665211, 0.49999994, 1, 1
  };
  private static final double[] EXP64 = {
    2.08266144667317508e-9,
    2.51120367413818114e-8,
    2.75575818869306797e-7,
    2.75572348623504614e-6,
    2.48015869265926597e-5,
    1.98412698963831824e-4,
    1.38888888891156438e-3,
    8.33333333331703549e-3,
    4.16666666666660954e-2,
    0.166666666666666824,
    0.5,
    1,
    1
  };
  // (e^r - 1 - r) / r^2
  private static final double[] EXPM1_32 = {
    0.00139464601, 0.00836658385, 0.0416662805, 0.166665435, 0.5
  };
  private static final double[] EXPM1_64 = {
    2.09244501743492728e-9, 2.51090449226716469e-8, 2.75572427360185396e-7, 2.75572441817636157e-6,
    2.48015873605881743e-5, 1.98412698861588144e-4, 1.38888888888668172e-3, 8.33333333332161516e-3,
    4.1666666666666699e-2, 0.166666666666666768, 0.5
  };
  private static final double[] EXP2_32 = {
    0.000153533634, 0.0013398875, 0.00961843692, 0.0555033237, 0.240226477, 0.693147182, 1
  };
  private static final double[] EXP2_64 = {
    2.5625417417581563e-11,
    4.45657044953804763e-10,
    7.05497447912312464e-9,
    1.01780519423869308e-7,
    1.32154865949147793e-6,
    1.52527338543171908e-5,
    1.54035303936407114e-4,
    1.33335581463926928e-3,
    9.61812910762832943e-3,
    5.55041086648216872e-2,
    0.240226506959100722,
    0.693147180559945286,
    1
  };
  // sinh x / x - 1, as a polynomial in x^2 on [0, 1]
  private static final double[] SINH_32 = {
    2.81743951e-6, 0.000198360663, 0.00833335053, 0.166666672
  };
  private static final double[] SINH_64 = {
    7.75931187679928732e-13,
    1.60572403529051245e-10,
    2.50521233983943146e-8,
    2.75573191553379506e-6,
    1.98412698414376785e-4,
    8.33333333333313893e-3,
    0.166666666666666685
  };

  private static final double LN2_HIGH_32 = 0x1.62e4p-1;
  private static final double LN2_LOW_32 = 1.42860682e-6;
  private static final double LN2_HIGH_64 = 6.93147180369123816490e-01;
  private static final double LN2_LOW_64 = 1.90821492927058770002e-10;

  private final Formula f;
  private final boolean single;

  ExpandExponential(Formula f) {
    this.f = f;
    this.single = f.single();
  }

  /** Reduced argument: the integer n in the low bits of {@code n}, and the remainder r. */
  private record Reduced(int n, int r) {}

  private Reduced reduce(int x) {
    int shifted = f.fma(x, f.c(1 / Math.log(2)), f.magic());
    int n = f.sub(shifted, f.magic());
    int r = f.fma(n, f.c(single ? -LN2_HIGH_32 : -LN2_HIGH_64), x);
    return new Reduced(f.bits(shifted), f.fma(n, f.c(single ? -LN2_LOW_32 : -LN2_LOW_64), r));
  }

  /**
   * Exponential. A normal result is computed by adding n to the exponent bits of the polynomial.
   */
  int exp(int x) {
    int fast = normalExp(x);
    return f.unless(isNormal(x), fast, x, "exp", (g, y) -> new ExpandExponential(g).expAnywhere(y));
  }

  private int normalExp(int x) {
    Reduced reduced = reduce(x);
    int power = f.bits(f.polynomial(reduced.r, single ? EXP32 : EXP64));
    int exponent = f.shiftLeft(reduced.n, f.mantissaBits());
    return f.fromBits(f.tape.apply(Op.ADD, power, exponent));
  }

  /** Returns a BOOL row that is true if the exponential is a normal number. */
  private int isNormal(int x) {
    return f.less(f.abs(x), f.c(single ? 87 : 708));
  }

  private int expAnywhere(int x) {
    int zero = f.less(x, f.c(single ? -104 : -746));
    Reduced reduced = reduce(clamp(x, zero, single ? 89 : 710));
    return nonzero(zero, f.scale(f.polynomial(reduced.r, single ? EXP32 : EXP64), reduced.n));
  }

  /**
   * Clamps an argument from above, and replaces it where the result rounds to 0: processors compute
   * a product that underflows dozens of times as slowly as another, and masked scores of attention
   * are far below the range.
   */
  private int clamp(int x, int zero, double high) {
    int below = f.select(f.greater(x, f.c(high)), f.c(high), x);
    return f.select(zero, f.c(0), below);
  }

  private int nonzero(int zero, int result) {
    return f.select(zero, f.c(0), result);
  }

  int sigmoid(int x) {
    int power = normalExp(x);
    int fast = f.div(power, f.add(f.c(1), power));
    return f.unless(
        isNormal(x), fast, x, "sigmoid", (g, y) -> new ExpandExponential(g).farSigmoid(y));
  }

  /** Logistic function far from 0, where it rounds to 1 or to the exponential. */
  private int farSigmoid(int x) {
    return f.select(f.greater(x, f.c(0)), f.c(1), expAnywhere(x));
  }

  int exp2(int x) {
    int zero = f.less(x, f.c(single ? -151 : -1076));
    int clamped = clamp(x, zero, single ? 129 : 1025);
    int shifted = f.add(clamped, f.magic());
    int r = f.sub(clamped, f.sub(shifted, f.magic()));
    int power = f.scale(f.polynomial(r, single ? EXP2_32 : EXP2_64), f.bits(shifted));
    return nonzero(zero, power);
  }

  /** Returns {@code expm1(x) / 2}, which does not overflow, for a clamped argument. */
  private int halfExpm1(int x) {
    Reduced reduced = reduce(x);
    int r = reduced.r;
    int q = f.polynomial(r, single ? EXPM1_32 : EXPM1_64);
    int half = halfPower(reduced.n);
    // half * (1 + r) - 1/2 is nearly exact, so that the term in r^2 is rounded once.
    int linear = f.fma(half, r, f.sub(half, f.c(0.5)));
    return f.fma(f.mul(f.mul(r, r), half), q, linear);
  }

  /** Returns {@code 2^(n - 1)}. */
  private int halfPower(int n) {
    long bias = f.one() - (1L << f.mantissaBits());
    return f.fromBits(f.plus(f.shiftLeft(n, f.mantissaBits()), bias));
  }

  /**
   * Returns {@code expm1(2x) / 2} like {@link #halfExpm1}, in terms of half the reduced argument.
   */
  private int halfExpm1OfTwice(int x) {
    int shifted = f.fma(x, f.c(2 / Math.log(2)), f.magic());
    int n = f.sub(shifted, f.magic());
    int s = f.fma(n, f.c((single ? LN2_HIGH_32 : LN2_HIGH_64) * -0.5), x);
    s = f.fma(n, f.c((single ? LN2_LOW_32 : LN2_LOW_64) * -0.5), s);
    int half = halfPower(f.bits(shifted));
    double[] q = (single ? EXPM1_32 : EXPM1_64).clone();
    for (int k = 0; k < q.length; k++) {
      q[q.length - 1 - k] *= 1 << (k + 2);
    }
    int fraction = f.fma(f.mul(s, s), f.polynomial(s, q), f.add(s, s));
    return f.fma(half, fraction, f.sub(half, f.c(0.5)));
  }

  int expm1(int x) {
    int half = halfExpm1(single ? f.clamp(x, -18, 89) : f.clamp(x, -38, 710));
    // Returns tiny arguments: halving a subnormal would round, and -0 keeps its sign.
    int tiny = f.less(f.abs(x), f.c(single ? 1e-30 : 1e-280));
    return f.select(tiny, x, f.add(half, half));
  }

  /**
   * Hyperbolic tangent {@code expm1(2a) / (expm1(2a) + 2)} of the magnitude a, with the sign of x.
   */
  int tanh(int x) {
    int a = f.abs(x);
    int limit = f.c(single ? 10 : 20);
    a = f.select(f.greater(a, limit), limit, a);
    int half = halfExpm1OfTwice(a);
    int negative = f.div(half, f.sub(f.c(-1), half));
    // Equal value, less sensitive to the rounding of the sum and the quotient.
    int small = f.fma(half, negative, half);
    return f.copySign(f.select(f.less(half, f.c(1)), small, negative), x);
  }

  /** Returns {@code e^a / 2}, which overflows where cosh and sinh do. */
  private int halfExp(int a) {
    Reduced reduced = reduce(single ? f.clamp(a, 0, 91) : f.clamp(a, 0, 712));
    return f.scale(f.polynomial(reduced.r, single ? EXP32 : EXP64), f.plus(reduced.n, -1));
  }

  int cosh(int x) {
    int half = halfExp(f.abs(x));
    return f.add(half, f.div(f.c(0.25), half));
  }

  int sinh(int x) {
    int a = f.abs(x);
    int half = halfExp(a);
    int large = f.sub(half, f.div(f.c(0.25), half));
    int square = f.mul(x, x);
    int small = f.polynomial(square, single ? SINH_32 : SINH_64);
    small = f.fma(f.mul(small, square), x, x);
    return f.select(f.less(a, f.c(1)), small, f.copySign(large, x));
  }
}
