package ristretto.kernels.math;

import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/**
 * Sine, cosine and tangent: {@code x = k pi/2 + r} with pi/2 in three parts (Cody and Waite; every
 * product is exact under fma) and polynomials in r. Arguments too large for this reduction call a
 * function, only for the lanes concerned.
 */
final class ExpandTrigonometry {
  private static final double[] SIN32 = {
    2.71830436e-6, -0.000198393347, 0.00833332911, -0.166666672
  };
  private static final double[] COS32 = {2.44383791e-5, -0.00138873665, 0.0416666456, -0.5, 1};
  private static final double[] SIN64 = {
    1.5896795666660997e-10, -2.50507581161141743e-8, 2.75573136919282187e-6,
    -1.98412698298078538e-4, 8.33333333332241313e-3, -0.166666666666666324
  };
  private static final double[] COS64 = {
    -1.13596477200410404e-11,
    2.08757232720957682e-9,
    -2.75573143523293135e-7,
    2.48015872894821945e-5,
    -1.38888888888741248e-3,
    4.16666666666666019e-2,
    -0.5,
    1
  };
  // tan r / r - 1, as a polynomial in r^2
  private static final double[] TAN32 = {
    0.00441489508, 7.52038841e-6, 0.0109038912, 0.0212544017, 0.0540656447, 0.133326083, 0.333333522
  };

  // Parts of pi/2, rounded down: subtracting a negative part would turn -0 into +0.
  private static final double[] HALF_PI_32 = {
    1.570796251296997, 7.549789415861596e-08, 5.390302529957765e-15
  };
  private static final double[] HALF_PI_64 = {
    1.5707963267948966, 6.123233995736765e-17, 1.0828566739219139e-32
  };

  private final Formula f;
  private final boolean single;

  ExpandTrigonometry(Formula f) {
    this.f = f;
    this.single = f.single();
  }

  /**
   * Reduced argument: the quadrant in the low bits of {@code k}, the remainder r in [-pi/4, pi/4].
   */
  private record Reduced(int k, int r) {}

  private Reduced reduce(int x) {
    int shifted = f.fma(x, f.c(2 / Math.PI), f.magic());
    int k = f.sub(shifted, f.magic());
    int r = x;
    for (double part : single ? HALF_PI_32 : HALF_PI_64) {
      r = f.fma(k, f.c(-part), r);
    }
    return new Reduced(f.bits(shifted), r);
  }

  /** Sine of a reduced argument. */
  int sine(int r, int square) {
    return f.fma(f.mul(f.polynomial(square, single ? SIN32 : SIN64), square), r, r);
  }

  /** Cosine of a reduced argument. */
  int cosine(int square) {
    return f.polynomial(square, single ? COS32 : COS64);
  }

  int sin(int x) {
    return wave(Op.SIN, x, 0);
  }

  int cos(int x) {
    return wave(Op.COS, x, 1);
  }

  /** Returns sin for {@code quarter} 0, cos for 1. */
  private int wave(Op op, int x, int quarter) {
    Reduced reduced = reduce(x);
    int k = quarter == 0 ? reduced.k : f.plus(reduced.k, quarter);
    int square = f.mul(reduced.r, reduced.r);
    int odd = f.equal(f.and(k, f.i(1)), f.i(1));
    int magnitude = f.select(odd, cosine(square), sine(reduced.r, square));
    int sign = f.shiftLeft(f.and(k, f.i(2)), single ? 30 : 62);
    int value = f.fromBits(f.tape.apply(Op.XOR, f.bits(magnitude), sign));
    if (quarter == 0) {
      // The fma above turns -0 into +0.
      value = f.select(f.equal(x, f.c(0)), x, value);
    }
    return beyond(op, x, value);
  }

  /**
   * Tangent of F32. {@link Math} computes that of F64: a quotient of these polynomials has an error
   * of 2.5 ulp.
   */
  int tan(int x) {
    Reduced reduced = reduce(x);
    int r = reduced.r;
    int square = f.mul(r, r);
    int odd = f.equal(f.and(reduced.k, f.i(1)), f.i(1));
    int polynomial = f.polynomial(square, TAN32);
    int cube = f.mul(square, r);
    int tangent = f.fma(polynomial, cube, r);
    int lost = f.fma(polynomial, cube, f.sub(r, tangent));
    // -1 / (tangent + lost), refined by one step of Newton's method.
    int inverse = f.div(f.c(-1), tangent);
    int residual = f.fma(lost, inverse, f.fma(tangent, inverse, f.c(1)));
    int finite = f.select(f.equal(r, f.c(0)), inverse, f.fma(residual, inverse, inverse));
    int value = f.select(odd, finite, tangent);
    return beyond(Op.TAN, x, value);
  }

  /**
   * Returns {@code value}, or the result of {@link Math} for arguments too large for the reduction.
   */
  private int beyond(Op op, int x, int value) {
    int usual = f.less(f.abs(x), f.c(single ? 1e5 : 1e6));
    return f.unless(
        usual,
        value,
        x,
        op.word(),
        (inner, y) -> {
          int wide = inner.tape.convert(y, ScalarType.F64);
          int exact = inner.tape.intern(new Node.Apply(op, ScalarType.F64, wide, -1, -1));
          return single ? ExpandArc.narrow(inner, exact) : exact;
        });
  }
}
