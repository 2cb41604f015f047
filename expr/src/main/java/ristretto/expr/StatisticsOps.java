package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.graph.Barrier.Sort;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.Op;

/**
 * Statistics of order, statistics without NaN, and covariances. Floating point only: cast integers
 * first.
 *
 * @hidden its operations are documented as those of {@link Ops}
 */
public abstract class StatisticsOps extends LambdaOps {
  StatisticsOps() {}

  // Order statistics

  /**
   * Median over axes, or over all axes if none is named: the mean of both middle elements if their
   * number is even. NaN if any element is NaN.
   */
  public static <T> Reduced<T> median(Expr<T> a, int... axes) {
    return overAxes("median", a, axes, last -> quantiles("median", last, Interpolation.LINEAR, .5));
  }

  /**
   * Quantile along an axis, with linear interpolation between neighbors as NumPy's default: {@code
   * quantile(a, 0.9, -1)}. NaN if any element is NaN.
   *
   * @throws ShapeException if q is not in [0, 1], or the axis is empty
   */
  public static <T> Reduced<T> quantile(Expr<T> a, double q, int... axes) {
    return quantile(a, q, Interpolation.LINEAR, axes);
  }

  /** Quantile along axes with a choice of interpolation; see {@link #quantile}. */
  public static <T> Reduced<T> quantile(
      Expr<T> a, double q, Interpolation interpolation, int... axes) {
    return overAxes("quantile", a, axes, last -> quantiles("quantile", last, interpolation, q));
  }

  /** Quantiles along an axis, stacked along a new first axis: {@code a[n, d] -> y[q, d]}. */
  public static <T> Expr<T> quantile(Expr<T> a, double[] qs, int... axes) {
    return stacked("quantile", qs, q -> quantile(a, q, axes));
  }

  /** Percentile along axes: the quantile of {@code p / 100}. */
  public static <T> Reduced<T> percentile(Expr<T> a, double p, int... axes) {
    return overAxes(
        "percentile",
        a,
        axes,
        last -> quantiles("percentile", last, Interpolation.LINEAR, p / 100));
  }

  /** Percentiles along axes, stacked along a new first axis. */
  public static <T> Expr<T> percentile(Expr<T> a, double[] ps, int... axes) {
    return stacked("percentile", ps, p -> percentile(a, p, axes));
  }

  private interface Each<T> {
    Expr<T> of(double q);
  }

  private static <T> Expr<T> stacked(String op, double[] qs, Each<T> each) {
    if (qs.length == 0) {
      throw new ShapeException("[" + op + "] there must be one fraction or more; got none.");
    }
    return ArrayManipulation.stack(0, Arrays.stream(qs).mapToObj(each::of).toList());
  }

  /** Quantile along the last axis, which is kept with extent 1. */
  private static <T> Expr<T> quantiles(
      String op, Expr<T> a, Interpolation interpolation, double q) {
    int axis = a.shape().rank() - 1;
    long n = a.shape().dim(axis);
    double position = fraction(op, q) * (n - 1);
    long low = (long) Math.floor(position);
    double weight =
        switch (interpolation) {
          case LINEAR -> position - low;
          case LOWER -> 0;
          case HIGHER -> position == low ? 0 : 1;
          case NEAREST -> Math.rint(position) - low;
          case MIDPOINT -> position == low ? 0 : 0.5;
        };
    long from = weight == 1 ? low + 1 : low;
    long[] dims = a.shape().extents();
    dims[axis] = weight > 0 && weight < 1 ? 2 : 1;
    Expr<T> neighbors = GatherScatter.sorted(a, Shape.of(dims), new Sort(axis, false, false, from));
    Expr<T> value =
        dims[axis] == 1
            ? neighbors
            : between(
                ArrayManipulation.slice(neighbors, axis, Slice.range(0, 1)),
                ArrayManipulation.slice(neighbors, axis, Slice.range(1, 2)),
                a.number(weight),
                weight >= 0.5);
    return where(any(isNaN(a), axis).keepDims(), literal(a, Double.NaN), value);
  }

  private static double fraction(String op, double q) {
    if (!(q >= 0 && q <= 1)) {
      throw new ShapeException(
          op.equals("percentile")
              ? "[percentile] percentages must be from 0 to 100; got " + q * 100 + "."
              : "["
                  + op
                  + "] fractions must be from 0 to 1; got "
                  + q
                  + "; percentile takes 0 to 100.");
    }
    return q;
  }

  /**
   * Weighted mean of two values, computed from the nearer one as NumPy does; exact if both are
   * equal, infinities included.
   */
  private static <T> Expr<T> between(Expr<T> a, Expr<T> b, Expr<T> weight, boolean nearB) {
    Expr<T> gap = b.minus(a);
    Expr<T> mean =
        nearB ? b.minus(gap.times(literal(a, 1).minus(weight))) : a.plus(gap.times(weight));
    return where(a.eq(b), a, mean);
  }

  private interface OfLast<T> {
    Expr<T> apply(Expr<T> last);
  }

  /** Applies a function of the last axis to several axes, which are flattened to one. */
  private static <T> Reduced<T> overAxes(String op, Expr<T> a, int[] axes, OfLast<T> f) {
    Apply.requireFloat(op, a);
    Reductions.requireElements(op, true, a, axes);
    Reduced<T> sum = sum(a, axes);
    long[] kept = sum.keepDims().shape().extents();
    var order = new ArrayList<Integer>();
    for (int pass = 0; pass < 2; pass++) {
      for (int d = 0; d < kept.length; d++) {
        if (reduced(a.shape(), d, op, axes) == (pass == 1)) {
          order.add(d);
        }
      }
    }
    long[] dims = Arrays.copyOf(sum.shape().extents(), sum.shape().rank() + 1);
    dims[dims.length - 1] = -1;
    Expr<T> last = a.permute(order.stream().mapToInt(d -> d).toArray()).reshape(dims);
    return new Reduced<>(f.apply(last).reshape(kept), sum.shape());
  }

  private static boolean reduced(Shape shape, int d, String op, int... axes) {
    boolean found = axes.length == 0;
    for (int axis : axes) {
      found |= shape.axis(axis, op) == d;
    }
    return found;
  }

  // Without NaN

  private static <T> Expr<T> present(Expr<T> a, double instead) {
    return a.dtype().isFloat() ? where(isNaN(a), literal(a, instead), a) : a;
  }

  /** Number of elements other than NaN, kept with extent 1. */
  private static <T> Expr<I64> counted(Expr<T> a, int... axes) {
    return sum(isNaN(a).not().cast(I64.INSTANCE), axes).keepDims();
  }

  private static <T> Reduced<T> dropped(Expr<T> kept, Expr<?> a, int... axes) {
    return Reductions.dropped(kept, a, axes);
  }

  /** Sum over axes without NaN; 0 if there is no other element. */
  public static <T> Reduced<T> nanSum(Expr<T> a, int... axes) {
    return sum(present(a, 0), axes);
  }

  /** Product over axes without NaN; 1 if there is no other element. */
  public static <T> Reduced<T> nanProd(Expr<T> a, int... axes) {
    return prod(present(a, 1), axes);
  }

  /** Mean over axes without NaN; NaN if there is no other element. */
  public static <T> Reduced<T> nanMean(Expr<T> a, int... axes) {
    Apply.requireFloat("nanMean", a);
    return dropped(nanMeanKept(a, axes), a, axes);
  }

  private static <T> Expr<T> nanMeanKept(Expr<T> a, int... axes) {
    return nanSum(a, axes).keepDims().div(counted(a, axes).cast(a.dtype()));
  }

  /** Variance over axes without NaN, divided by the number of elements. */
  public static <T> Reduced<T> nanVar(Expr<T> a, int... axes) {
    Apply.requireFloat("nanVar", a);
    return dropped(nanVarKept(a, axes), a, axes);
  }

  private static <T> Expr<T> nanVarKept(Expr<T> a, int... axes) {
    Expr<T> gap = a.minus(nanMeanKept(a, axes));
    return nanMeanKept(gap.times(gap), axes);
  }

  /** Square root of {@link #nanVar}. */
  public static <T> Reduced<T> nanStd(Expr<T> a, int... axes) {
    Apply.requireFloat("nanStd", a);
    return dropped(sqrt(nanVarKept(a, axes)), a, axes);
  }

  /** Maximum over axes without NaN; NaN if there is no other element. */
  public static <T> Reduced<T> nanMax(Expr<T> a, int... axes) {
    return extreme(max(present(a, Double.NEGATIVE_INFINITY), axes), a, axes);
  }

  /** Minimum over axes without NaN; NaN if there is no other element. */
  public static <T> Reduced<T> nanMin(Expr<T> a, int... axes) {
    return extreme(min(present(a, Double.POSITIVE_INFINITY), axes), a, axes);
  }

  private static <T> Reduced<T> extreme(Reduced<T> found, Expr<T> a, int... axes) {
    if (!a.dtype().isFloat()) {
      return found;
    }
    Expr<BOOL> none = all(isNaN(a), axes).keepDims();
    return dropped(where(none, literal(a, Double.NaN), found.keepDims()), a, axes);
  }

  /**
   * Position of the first largest element without NaN, with positions as in {@link #argMax}; 0 if
   * all elements are NaN, where NumPy raises an error.
   */
  public static <T> Reduced<I64> nanArgMax(Expr<T> a, int... axes) {
    return argMax(present(a, Double.NEGATIVE_INFINITY), axes);
  }

  /** Position of the first smallest element without NaN; see {@link #nanArgMax}. */
  public static <T> Reduced<I64> nanArgMin(Expr<T> a, int... axes) {
    return argMin(present(a, Double.POSITIVE_INFINITY), axes);
  }

  /** Median over axes without NaN; NaN if there is no other element. */
  public static <T> Reduced<T> nanMedian(Expr<T> a, int... axes) {
    return overAxes("nanMedian", a, axes, last -> nanQuantiles("nanMedian", last, 0.5));
  }

  /** Quantile along axes without NaN, with linear interpolation; see {@link #quantile}. */
  public static <T> Reduced<T> nanQuantile(Expr<T> a, double q, int... axes) {
    return overAxes("nanQuantile", a, axes, last -> nanQuantiles("nanQuantile", last, q));
  }

  /** Percentile along axes without NaN: {@link #nanQuantile} of {@code p / 100}. */
  public static <T> Reduced<T> nanPercentile(Expr<T> a, double p, int... axes) {
    return nanQuantile(a, p / 100, axes);
  }

  private static <T> Expr<T> nanQuantiles(String op, Expr<T> a, double q) {
    int axis = a.shape().rank() - 1;
    Expr<T> sorted = GatherScatter.sorted(a, a.shape(), new Sort(axis, false, false));
    Expr<I64> highest =
        Apply.binary(Op.MAX, counted(a, axis).minus(1), Scalars.literal(I64.INSTANCE, 0));
    Expr<F64> position = highest.cast(F64.INSTANCE).times(fraction(op, q));
    Expr<F64> low = floor(position);
    Expr<I64> at = low.cast(I64.INSTANCE);
    Expr<T> weight = position.minus(low).cast(a.dtype());
    Expr<T> below = GatherScatter.takeAlongAxis(sorted, at, axis);
    Expr<I64> next = Apply.binary(Op.MIN, at.plus(1), highest);
    Expr<T> above = GatherScatter.takeAlongAxis(sorted, next, axis);
    return where(
        weight.lt(0.5), between(below, above, weight, false), between(below, above, weight, true));
  }

  // Covariances

  /**
   * Covariance matrix of variables, one per row: {@code a[m, n] -> y[m, m]}, divided by n - 1; of a
   * vector its variance. NumPy's {@code cov}.
   */
  public static <T> Expr<T> cov(Expr<T> a) {
    return cov(a, 1);
  }

  /** Covariance matrix of variables, one per row, divided by {@code n - ddof}. */
  public static <T> Expr<T> cov(Expr<T> a, int ddof) {
    Apply.requireFloat("cov", a);
    int rank = a.shape().rank();
    if (rank < 1 || rank > 2) {
      throw new ShapeException(
          "[cov] variables must be a vector or the rows of a matrix; got %s; reshape it."
              .formatted(a.label()));
    }
    Expr<T> rows = rank == 1 ? a.unsqueeze(0) : a;
    Expr<T> centered = rows.minus(mean(rows, 1).keepDims());
    double count = Math.max(0, rows.shape().dim(1) - (double) ddof);
    Expr<T> matrix = MatrixProduct.dot(centered, centered.t()).div(rows.number(count));
    return rank == 1 ? matrix.reshape() : matrix;
  }

  /** Covariance matrix {@code y[2, 2]} of two variables of equal length. */
  public static <T> Expr<T> cov(Expr<T> a, Expr<T> b) {
    return cov(ArrayManipulation.stack(0, List.of(a, b)));
  }

  /**
   * Correlation coefficients of variables, one per row: {@code a[m, n] -> y[m, m]}, clamped to [-1,
   * 1]; NaN for a constant variable. NumPy's {@code corrcoef}.
   */
  public static <T> Expr<T> corr(Expr<T> a) {
    Expr<T> c = cov(a);
    if (c.shape().rank() == 0) {
      return c.div(c);
    }
    Expr<T> deviation = sqrt(ArrayManipulation.diagonal(c, 0));
    return clamp(c.div(deviation.unsqueeze(1)).div(deviation.unsqueeze(0)), -1, 1);
  }

  /** Correlation coefficients {@code y[2, 2]} of two variables of equal length. */
  public static <T> Expr<T> corr(Expr<T> a, Expr<T> b) {
    return corr(ArrayManipulation.stack(0, List.of(a, b)));
  }

  /** Weighted mean over axes: {@code sum(a * weights) / sum(weights)}; the weights broadcast. */
  public static <T> Reduced<T> average(Expr<T> a, Expr<T> weights, int... axes) {
    Apply.requireFloat("average", a);
    Expr<T> wide = weights.expand(a.shape().extents());
    Expr<T> total = sum(a.times(wide), axes).keepDims();
    return dropped(total.div(sum(wide, axes).keepDims()), a, axes);
  }

  // Comparison

  /** True where both are close: {@link #isClose} with tolerances of 1e-5 and 1e-8. */
  public static <T> Expr<BOOL> isClose(Expr<T> a, Expr<T> b) {
    return isClose(a, b, 1e-5, 1e-8);
  }

  /** True if all elements are close, with NumPy's tolerances of 1e-5 and 1e-8. */
  public static <T> Reduced<BOOL> allClose(Expr<T> a, Expr<T> b) {
    return allClose(a, b, 1e-5, 1e-8);
  }

  /** True if all elements are close; see {@link #isClose(Expr, Expr, double, double)}. */
  public static <T> Reduced<BOOL> allClose(Expr<T> a, Expr<T> b, double rtol, double atol) {
    return all(isClose(a, b, rtol, atol));
  }
}
