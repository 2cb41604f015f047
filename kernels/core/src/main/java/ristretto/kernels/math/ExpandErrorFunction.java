package ristretto.kernels.math;

import ristretto.kernels.scalar.ScalarType;

/**
 * Error function erf and its complement erfc. F32: a polynomial for small arguments, 1 -
 * e^polynomial beyond; erfc in F64 after Shepherd and Laframboise (1981). F64: the rational
 * approximations of fdlibm's s_erf.c.
 */
final class ExpandErrorFunction {
  private static final double[] ERF_SMALL = {
    -5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1
  };
  private static final double[] ERF_LARGE = {
    -1.72853470e-5,
    3.83197126e-4,
    -3.88396438e-3,
    2.42546219e-2,
    -1.06777877e-1,
    -6.34846687e-1,
    -1.28717512e-1
  };
  // e^(x^2) erfc(x) (1 + 2x), as a polynomial in (x - 2) / (x + 2)
  private static final double[] ERFC = {
    -1.02615666350200076e-5, -3.33732622933322823e-6, 1.1965885720776492e-4, 1.96151717922264077e-4,
    -4.38380464472979054e-4, -1.44938100262924753e-3, 1.26728801477216059e-3,
        8.72057906130324981e-3,
    -8.03349358633725572e-3, -5.42197513559821917e-2, 0.1640512491292275, -0.166030408370430232,
    -9.27638260004838844e-2, 1.27697838162604471
  };

  private static final double[] PP = {
    -2.37630166566501626084e-05,
    -5.77027029648944159157e-03,
    -2.84817495755985104766e-02,
    -3.25042107247001499370e-01,
    1.28379167095512558561e-01
  };
  private static final double[] QQ = {
    -3.96022827877536812320e-06,
    1.32494738004321644526e-04,
    5.08130628187576562776e-03,
    6.50222499887672944485e-02,
    3.97917223959155352819e-01,
    1
  };
  private static final double[] PA = {
    -2.16637559486879084300e-03,
    3.54783043256182359371e-02,
    -1.10894694282396677476e-01,
    3.18346619901161753674e-01,
    -3.72207876035701323847e-01,
    4.14856118683748331666e-01,
    -2.36211856075265944077e-03
  };
  private static final double[] QA = {
    1.19844998467991074170e-02,
    1.36370839120290507362e-02,
    1.26171219808761642112e-01,
    7.18286544141962662868e-02,
    5.40397917702171048937e-01,
    1.06420880400844228286e-01,
    1
  };
  private static final double[] RA = {
    -9.81432934416914548592e+00, -8.12874355063065934246e+01, -1.84605092906711035994e+02,
    -1.62396669462573470355e+02, -6.23753324503260060396e+01, -1.05586262253232909814e+01,
    -6.93858572707181764372e-01, -9.86494403484714822705e-03
  };
  private static final double[] SA = {
    -6.04244152148580987438e-02, 6.57024977031928170135e+00, 1.08635005541779435134e+02,
    4.29008140027567833386e+02, 6.45387271733267880336e+02, 4.34565877475229228821e+02,
    1.37657754143519042600e+02, 1.96512716674392571292e+01, 1
  };
  private static final double[] RB = {
    -4.83519191608651397019e+02,
    -1.02509513161107724954e+03,
    -6.37566443368389627722e+02,
    -1.60636384855821916062e+02,
    -1.77579549177547519889e+01,
    -7.99283237680523006574e-01,
    -9.86494292470009928597e-03
  };
  private static final double[] SB = {
    -2.24409524465858183362e+01,
    4.74528541206955367215e+02,
    2.55305040643316442583e+03,
    3.19985821950859553908e+03,
    1.53672958608443695994e+03,
    3.25792512996573918826e+02,
    3.03380607434824582924e+01,
    1
  };
  private static final double ERX = 8.45062911510467529297e-01;

  private final Formula f;

  ExpandErrorFunction(Formula f) {
    this.f = f;
  }

  int erf(int x) {
    return f.single() ? erfSingle(x) : erfDouble(x);
  }

  int erfc(int x) {
    return f.single() ? erfcSingle(x) : erfcDouble(x);
  }

  /** F32 erf after N. Juffa; error below 1 ulp. */
  private int erfSingle(int x) {
    int a = f.abs(x);
    int square = f.mul(x, x);
    int small = f.fma(f.polynomial(square, ERF_SMALL), x, x);
    int exponent = f.fma(f.polynomial(a, ERF_LARGE), a, f.neg(a));
    int tail = new ExpandExponential(f).exp(f.select(f.greater(a, f.c(4)), f.c(-30), exponent));
    int large = f.copySign(f.sub(f.c(1), tail), x);
    return f.select(f.greater(a, f.c(0.927734375)), large, small);
  }

  private int erfcSingle(int x32) {
    Formula g = f.wide();
    int x = f.tape.convert(x32, ScalarType.F64);
    int a = g.abs(x);
    int limit = g.c(10.2);
    a = g.select(g.greater(a, limit), limit, a);
    int q = g.div(g.sub(a, g.c(2)), g.add(a, g.c(2)));
    int p = g.div(g.polynomial(q, ERFC), g.fma(a, g.c(2), g.c(1)));
    int tail = g.mul(p, new ExpandExponential(g).exp(g.neg(g.mul(a, a))));
    return ExpandArc.narrow(f, g.select(g.less(x, g.c(0)), g.sub(g.c(2), tail), tail));
  }

  private int ratio(int x, double[] over, double[] under) {
    return f.div(f.polynomial(x, over), f.polynomial(x, under));
  }

  /** Returns erfc for magnitudes of at least 1.25. */
  private int tail(int a) {
    int square = f.mul(a, a);
    int s = f.div(f.c(1), square);
    int near = f.less(a, f.c(1 / 0.35));
    int ratio = f.select(near, ratio(s, RA, SA), ratio(s, RB, SB));
    // The high half of the bits of a, whose square is exact.
    int z = f.fromBits(f.and(f.bits(a), f.i(0xFFFFFFFF00000000L)));
    var e = new ExpandExponential(f);
    int first = e.exp(f.fma(f.neg(z), z, f.c(-0.5625)));
    int second = e.exp(f.fma(f.sub(z, a), f.add(z, a), ratio));
    return f.div(f.mul(first, second), a);
  }

  private int erfDouble(int x) {
    int a = f.abs(x);
    int square = f.mul(x, x);
    int small = f.fma(ratio(square, PP, QQ), x, x);
    int s = f.sub(a, f.c(1));
    int middle = f.add(f.c(ERX), ratio(s, PA, QA));
    int large = f.sub(f.c(1), tail(f.select(f.greater(a, f.c(6)), f.c(6), a)));
    int value = f.select(f.less(a, f.c(1.25)), middle, large);
    return f.select(f.less(a, f.c(0.84375)), small, f.copySign(value, x));
  }

  private int erfcDouble(int x) {
    int a = f.abs(x);
    int square = f.mul(x, x);
    int y = ratio(square, PP, QQ);
    int small = f.sub(f.c(1), f.fma(x, y, x));
    int half = f.sub(f.c(0.5), f.fma(x, y, f.sub(x, f.c(0.5))));
    small = f.select(f.greater(x, f.c(0.25)), half, small);
    int quotient = ratio(f.sub(a, f.c(1)), PA, QA);
    int negative = f.less(x, f.c(0));
    int middle =
        f.select(negative, f.add(f.c(1), f.add(f.c(ERX), quotient)), f.sub(f.c(1 - ERX), quotient));
    int tail = tail(f.select(f.greater(a, f.c(28)), f.c(28), a));
    int large = f.select(negative, f.sub(f.c(2), tail), tail);
    int value = f.select(f.less(a, f.c(1.25)), middle, large);
    return f.select(f.less(a, f.c(0.84375)), small, value);
  }
}
