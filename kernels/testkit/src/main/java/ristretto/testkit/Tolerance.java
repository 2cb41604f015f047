package ristretto.testkit;

import java.util.Arrays;
import java.util.function.Supplier;
import ristretto.expr.Ops;
import ristretto.expr.type.DType;

/**
 * Maximum difference between a result and the oracle's, which is rounded to the dtype first. All
 * tolerances are listed here.
 *
 * @param ulps units in the last place of the expected value
 * @param fraction additional error relative to the largest magnitude of the expected array; for
 *     8-byte types 1e-8 of it
 * @param least lower bound of that largest magnitude
 */
record Tolerance(double ulps, double fraction, double least) {
  /** Operations that IEEE 754 defines exactly; zeros of different sign differ. */
  static final Tolerance BITS = new Tolerance(0, -1, 0);

  /** Equal numbers. */
  static final Tolerance EQUAL = new Tolerance(0, 0, 0);

  /** Transcendental functions. */
  static final Tolerance FUNCTION = new Tolerance(2.5, 0, 0);

  /** Functions documented with 4 ulp. */
  static final Tolerance LOOSE_FUNCTION = new Tolerance(4.5, 0, 0);

  /** Several roundings in sequence. */
  static final Tolerance SEVERAL = new Tolerance(8, 4e-7, 0);

  /** Several roundings in sequence, with cancellation of terms of about 1. */
  static final Tolerance CANCELLING = new Tolerance(8, 4e-7, 1);

  /** Sums of rows whose terms may cancel. */
  static final Tolerance REDUCTION = new Tolerance(4, 2e-7, 100);

  /** Variances, also of rows of equal values. */
  static final Tolerance VARIANCE = new Tolerance(8, 2e-6, 1);

  /** Products of a thousand factors. */
  static final Tolerance PRODUCT = new Tolerance(8, 2e-6, 0);

  /** One rounding to F16 or BF16 in the other direction. */
  static final Tolerance HALF = new Tolerance(0, 0.008, 0);

  /**
   * Throws an {@link AssertionError} that shows the first element beyond the tolerance.
   *
   * @return the largest error in ulp if the tolerance is in ulp only; else 0
   */
  double check(DType<?> dtype, Nd expected, Nd actual, Supplier<String> what) {
    double worst = 0;
    if (!Arrays.equals(expected.shape, actual.shape)) {
      throw new AssertionError(
          what.get()
              + "\nshape is "
              + Arrays.toString(actual.shape)
              + "; expected "
              + Arrays.toString(expected.shape));
    }
    Nd want = NdTensors.round(dtype, expected);
    double scale = least;
    for (double v : want.data) {
      scale = Double.isFinite(v) ? Math.max(scale, Math.abs(v)) : scale;
    }
    double slack = scale * (dtype.bytes() == 8 ? fraction * 1e-8 : fraction);
    for (int k = 0; k < want.data.length; k++) {
      double w = want.data[k];
      double g = actual.data[k];
      boolean same =
          fraction < 0 ? Double.compare(w, g) == 0 : w == g || Double.isNaN(w) && Double.isNaN(g);
      double ulp = dtype == Ops.F32 ? Math.ulp((float) w) : Math.ulp(w);
      if (!same && !(Math.abs(w - g) <= ulps * ulp + slack)) {
        throw new AssertionError(
            what.get()
                + "\nat "
                + Arrays.toString(Nd.index(want.shape, k))
                + ": "
                + g
                + "; expected "
                + w
                + (Double.isFinite(w - g) ? ", " + Math.abs(w - g) / ulp + " ulp" : "")
                + "\nall: "
                + summary(actual)
                + "\nexpected: "
                + summary(want));
      }
      if (!same && fraction == 0) {
        worst = Math.max(worst, Math.abs(w - g) / ulp);
      }
    }
    return worst;
  }

  private static String summary(Nd v) {
    String text = v.toString();
    return text.length() > 600 ? text.substring(0, 600) + " ..." : text;
  }
}
