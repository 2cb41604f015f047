package ristretto.kernels.math;

import ristretto.kernels.scalar.Op;

/** Inverse trigonometric functions of F32; {@link Math} computes those of F64. */
final class ExpandArc {
  // atan z / z - 1, as a polynomial in z^2 on [0, 1]
  private static final double[] ATAN = {
    -0.00182722043,
    0.0110644754,
    -0.0314557664,
    0.0582346171,
    -0.0841946304,
    0.109575778,
    -0.142652452,
    0.199986383,
    -0.333333015
  };
  private static final double[] ATAN_WIDE = {
    -7.11308631601700859e-4, 4.99934052477571129e-3, -1.64715206007598688e-2,
        3.47047552036311643e-2,
    -5.47045800039688557e-2, 7.26939000208597086e-2, -8.98879435014202088e-2, 0.110952030085284092,
    -0.142842509426713032, 0.199999322025293247, -0.333333322354282591
  };
  // asin z / z - 1, as a polynomial in z^2 on [0, 1/2]
  private static final double[] ASIN = {
    0.0375652649, 0.0144025609, 0.0318176225, 0.0445157178, 0.0750051066, 0.166666597
  };

  private static final double HALF_PI_HIGH = 1.5707963705062866;
  private static final double HALF_PI_LOW = -4.371138828673793e-08;

  private final Formula f;

  ExpandArc(Formula f) {
    this.f = f;
  }

  private int odd(Formula g, int z, double[] coefficients) {
    int square = g.mul(z, z);
    return g.fma(g.mul(g.polynomial(square, coefficients), square), z, z);
  }

  int atan(int x) {
    int a = f.abs(x);
    int large = f.greater(a, f.c(1));
    int z = f.select(large, f.div(f.c(1), a), a);
    int arc = odd(f, z, ATAN);
    int complement = f.add(f.sub(f.c(HALF_PI_HIGH), arc), f.c(HALF_PI_LOW));
    return f.copySign(f.select(large, complement, arc), x);
  }

  /** Inverse sine; from 1/2 on as {@code asin x = pi/2 - 2 asin sqrt((1 - x) / 2)}. */
  int asin(int x) {
    int a = f.abs(x);
    int large = f.greater(a, f.c(0.5));
    int root = f.apply(Op.SQRT, f.fma(a, f.c(-0.5), f.c(0.5)));
    int arc = odd(f, f.select(large, root, a), ASIN);
    int complement = f.add(f.fma(arc, f.c(-2), f.c(HALF_PI_HIGH)), f.c(HALF_PI_LOW));
    return f.copySign(f.select(large, complement, arc), x);
  }

  int acos(int x) {
    int a = f.abs(x);
    int large = f.greater(a, f.c(0.5));
    int root = f.apply(Op.SQRT, f.fma(a, f.c(-0.5), f.c(0.5)));
    int arc = odd(f, f.select(large, root, a), ASIN);
    int twice = f.add(arc, arc);
    int outer =
        f.select(
            f.less(x, f.c(0)),
            f.add(f.sub(f.c(2 * HALF_PI_HIGH), twice), f.c(2 * HALF_PI_LOW)),
            twice);
    int inner = f.add(f.sub(f.c(HALF_PI_HIGH), f.copySign(arc, x)), f.c(HALF_PI_LOW));
    return f.select(large, outer, inner);
  }

  /**
   * Two-argument arctangent, in F64: the rounding of the quotient and the tail of pi then do not
   * matter.
   */
  int atan2(int y32, int x32) {
    Formula g = f.wide();
    int y = f.tape.convert(y32, g.type);
    int x = f.tape.convert(x32, g.type);
    int b = g.abs(y);
    int a = g.abs(x);
    int steep = g.greater(b, a);
    int small = g.select(steep, a, b);
    int big = g.select(steep, b, a);
    // 0/0 gives 0; two infinities give 45 degrees.
    int quotient = g.select(g.equal(small, big), g.c(1), g.div(small, big));
    quotient = g.select(g.equal(g.add(big, small), g.c(0)), g.c(0), quotient);
    int arc = odd(g, quotient, ATAN_WIDE);
    arc = g.select(steep, g.sub(g.c(Math.PI / 2), arc), arc);
    // Tests the sign bit, because x may be -0.
    int left = g.less(g.copySign(g.c(1), x), g.c(0));
    arc = g.select(left, g.sub(g.c(Math.PI), arc), arc);
    return narrow(f, g.copySign(arc, y));
  }

  /** Converts to F32 with a row that the tape builder does not simplify. */
  static int narrow(Formula f, int wide) {
    return f.tape.intern(new ristretto.kernels.scalar.Node.Apply(Op.CONVERT, f.type, wide, -1, -1));
  }
}
