package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import ristretto.expr.graph.Barrier.Sort;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Kernel.Scatter.Operator;
import ristretto.kernels.scalar.Op;

/**
 * Scatters, segments, search in sorted elements, histograms, interpolation and differences.
 *
 * @hidden its operations are documented as those of {@link Ops}
 */
public abstract class SelectionOps extends RecurrenceOps {
  SelectionOps() {}

  // Scatters and segments

  /**
   * Maximum of the values at each index along an axis; shapes as in {@link Ops#scatterAdd}.
   * Elements without a value are negative infinity, or the least number of an integer dtype. NaN
   * wins.
   */
  public static <T> Expr<T> scatterMax(Shape shape, int axis, Expr<?> indices, Expr<T> values) {
    return GatherScatter.scatter("scatterMax", Operator.MAX, shape, axis, indices, values);
  }

  /**
   * Minimum of the values at each index along an axis; shapes as in {@link Ops#scatterAdd}.
   * Elements without a value are infinity, or the largest number of an integer dtype. NaN wins.
   */
  public static <T> Expr<T> scatterMin(Shape shape, int axis, Expr<?> indices, Expr<T> values) {
    return GatherScatter.scatter("scatterMin", Operator.MIN, shape, axis, indices, values);
  }

  /**
   * Mean of the values at each index along an axis; shapes as in {@link Ops#scatterAdd}. Elements
   * without a value are NaN. Floating point only.
   */
  public static <T> Expr<T> scatterMean(Shape shape, int axis, Expr<?> indices, Expr<T> values) {
    Apply.requireFloat("scatterMean", values);
    Expr<T> total =
        GatherScatter.scatter("scatterMean", Operator.ADD, shape, axis, indices, values);
    int d = shape.axis(axis, "scatterMean");
    long[] dims = new long[shape.rank()];
    Arrays.fill(dims, 1);
    dims[d] = shape.at(d);
    return total.div(
        counts("scatterMean", indices, shape.at(d)).cast(values.dtype()).reshape(dims));
  }

  /** Number of indices by value; negative ones count from the end. */
  private static Expr<I64> counts(String op, Expr<?> indices, long n) {
    Expr<I64> one = Scalars.filled(I64.INSTANCE, Shape.of(indices.shape().elements()), 1);
    return GatherScatter.scatter(op, Operator.ADD, Shape.of(n), 0, indices.flatten(), one);
  }

  /**
   * Sum of the values of each segment: {@code v[k, ...], ids[k] -> y[n, ...]}. Segment numbers (I32
   * or I64) may be in any order and must lie in [0, n); empty segments are 0. The sums have the
   * accuracy of {@link #sum}.
   */
  public static <T> Expr<T> segmentSum(Expr<T> v, Expr<?> ids, long n) {
    return segments("segmentSum", Operator.ADD, v, ids, n);
  }

  /**
   * Maximum of each segment; see {@link #segmentSum}. Empty segments are negative infinity, or the
   * least number of an integer dtype.
   */
  public static <T> Expr<T> segmentMax(Expr<T> v, Expr<?> ids, long n) {
    return segments("segmentMax", Operator.MAX, v, ids, n);
  }

  /**
   * Minimum of each segment; see {@link #segmentSum}. Empty segments are infinity, or the largest
   * number of an integer dtype.
   */
  public static <T> Expr<T> segmentMin(Expr<T> v, Expr<?> ids, long n) {
    return segments("segmentMin", Operator.MIN, v, ids, n);
  }

  /** Mean of each segment; see {@link #segmentSum}. Empty segments are NaN. */
  public static <T> Expr<T> segmentMean(Expr<T> v, Expr<?> ids, long n) {
    Apply.requireFloat("segmentMean", v);
    Expr<T> total = segments("segmentMean", Operator.ADD, v, ids, n);
    long[] dims = new long[v.shape().rank()];
    Arrays.fill(dims, 1);
    dims[0] = n;
    return total.div(counts("segmentMean", positive(ids, n), n).cast(v.dtype()).reshape(dims));
  }

  private static <T> Expr<T> segments(
      String op, Operator operator, Expr<T> v, Expr<?> ids, long n) {
    if (v.shape().rank() < 1 || ids.shape().rank() != 1 || ids.shape().at(0) != v.shape().at(0)) {
      throw new ShapeException(
          "[%s] there must be one segment number per entry of the first axis; got v %s, ids %s."
              .formatted(op, v.label(), ids.label()));
    }
    requireCount(op, n);
    long[] dims = v.shape().extents();
    dims[0] = n;
    return GatherScatter.scatter(op, operator, Shape.of(dims), 0, positive(ids, n), v);
  }

  private static void requireCount(String op, long n) {
    if (n < 0) {
      throw new ShapeException("[" + op + "] n must not be negative; got " + n + ".");
    }
  }

  /** Indices of which the negative ones are out of range, instead of counting from the end. */
  private static Expr<I64> positive(Expr<?> ids, long n) {
    Expr<I64> wide = GatherScatter.requireIndices("segment", ids).cast(I64.INSTANCE);
    return where(wide.lt(0), wide.minus(n), wide);
  }

  /**
   * Number of occurrences of each of the integers 0 to n - 1: {@code ids[...] -> y[n]} (I64).
   * Evaluation with an integer out of range throws a {@link ShapeException}; NumPy makes the result
   * longer instead.
   */
  public static Expr<I64> bincount(Expr<?> ids, long n) {
    requireCount("bincount", n);
    return counts("bincount", positive(ids, n), n);
  }

  /** Sum of the weights of each of the integers 0 to n - 1; see {@link #bincount(Expr, long)}. */
  public static <T> Expr<T> bincount(Expr<?> ids, Expr<T> weights, long n) {
    requireCount("bincount", n);
    if (!weights.shape().equals(ids.shape())) {
      throw new ShapeException(
          "[bincount] there must be one weight per integer; got ids %s, weights %s."
              .formatted(ids.label(), weights.label()));
    }
    return GatherScatter.scatter(
        "bincount", Operator.ADD, Shape.of(n), 0, positive(ids, n).flatten(), weights.flatten());
  }

  // Search

  /**
   * Position of the first of the sorted elements that is not less than x: {@code sorted[n], x[...]
   * -> y[...]} (I64), between 0 and n. NaN is greater than all numbers.
   */
  public static <T> Expr<I64> searchSorted(Expr<T> sorted, Expr<T> x) {
    return search(sorted, x, false);
  }

  /**
   * Position of the first of the sorted elements that is greater than x if {@code right}, or not
   * less than x; see {@link #searchSorted(Expr, Expr)}.
   */
  public static <T> Expr<I64> searchSorted(Expr<T> sorted, Expr<T> x, boolean right) {
    return search(sorted, x, right);
  }

  /**
   * Position as in {@link #searchSorted(Expr, Expr, boolean)}.
   *
   * @param side {@code "left"} or {@code "right"}
   */
  public static <T> Expr<I64> searchSorted(Expr<T> sorted, Expr<T> x, String side) {
    if (!side.equals("left") && !side.equals("right")) {
      throw new ShapeException(
          "[searchSorted] the side must be \"left\" or \"right\"; got \"" + side + "\".");
    }
    return search(sorted, x, side.equals("right"));
  }

  /**
   * Number of the bin of each x: i with {@code bins[i - 1] <= x < bins[i]}, 0 below and n above all
   * bins. The bins must increase, or decrease: then i with {@code bins[i - 1] > x >= bins[i]}. NaN
   * is the largest number.
   */
  public static <T> Expr<I64> digitize(Expr<T> x, Expr<T> bins) {
    return digitize(x, bins, false);
  }

  /** Number of the bin of each x; if {@code right}, bins contain their other edge instead. */
  public static <T> Expr<I64> digitize(Expr<T> x, Expr<T> bins, boolean right) {
    if (bins.shape().rank() != 1 || bins.shape().dim(0) < 2) {
      return search(bins, x, !right);
    }
    long n = bins.shape().dim(0);
    Expr<BOOL> decrease = bins.slice(Slice.at(0)).gt(bins.slice(Slice.at(-1)));
    Expr<I64> place = search(where(decrease, bins.flip(0), bins), x, !right);
    return where(decrease, Scalars.number(I64.INSTANCE, n).minus(place), place);
  }

  /** Most elements that are compared one by one, in the kernel that reads the position. */
  private static final long FEW = 16;

  private static <T> Expr<I64> search(Expr<T> sorted, Expr<T> x, boolean right) {
    Apply.requireEqual("searchSorted", sorted, x);
    if (sorted.shape().rank() != 1) {
      throw new ShapeException(
          "[searchSorted] the sorted elements must be a vector; got %s; flatten it."
              .formatted(sorted.label()));
    }
    long n = sorted.shape().dim(0);
    if (n <= FEW) {
      Expr<I64> count = Scalars.filled(I64.INSTANCE, x.shape(), 0);
      for (int k = 0; k < n; k++) {
        count = count.plus(before(sorted.slice(Slice.at(k)), x, right).cast(I64.INSTANCE));
      }
      return count;
    }
    // Binary search over 2^k - 1 elements, of which those from n on are the largest.
    long size = 2 * Long.highestOneBit(n);
    Expr<T> filled =
        ArrayManipulation.pad(
            sorted,
            Scalars.literal(x.dtype(), x.dtype().isFloat() ? Double.NaN : x.dtype().most()),
            0,
            size - 1 - n);
    Expr<I64> at = Scalars.filled(I64.INSTANCE, x.shape(), size / 2 - 1);
    for (long step = size / 2; step >= 1; step /= 2) {
      Expr<T> probe =
          step == size / 2 ? filled.slice(Slice.at(step - 1)) : GatherScatter.take(filled, at, 0);
      long half = step / 2;
      Expr<I64> after = Scalars.literal(I64.INSTANCE, half);
      Expr<I64> stays = Scalars.literal(I64.INSTANCE, half - step);
      at = at.plus(where(before(probe, x, right), after, stays));
    }
    // The last step moves by 0 or -1 from the probe, which is one below the position.
    return Apply.binary(Op.MIN, at.plus(1), Scalars.number(I64.INSTANCE, n));
  }

  /** True where an element of the sorted vector comes before the position of x. */
  private static <T> Expr<BOOL> before(Expr<T> element, Expr<T> x, boolean right) {
    Expr<BOOL> below = right ? element.le(x) : element.lt(x);
    if (!x.dtype().isFloat()) {
      return below;
    }
    return below.or(right ? isNaN(x) : isNaN(x).and(isNaN(element).not()));
  }

  /** True where an element of {@code a} is among {@code values}; NaN is among none. */
  public static <T> Expr<BOOL> isIn(Expr<T> a, Expr<T> values) {
    Apply.requireEqual("isIn", a, values);
    Expr<T> flat = values.flatten();
    long n = flat.shape().dim(0);
    if (n == 0) {
      return isNaN(a).and(a.eq(a));
    }
    Expr<T> sorted = GatherScatter.sorted(flat, flat.shape(), new Sort(0, false, false));
    Expr<I64> at =
        Apply.binary(Op.MIN, search(sorted, a, false), Scalars.number(I64.INSTANCE, n - 1));
    return GatherScatter.take(sorted, at, 0).eq(a);
  }

  // Histograms

  /**
   * Number of elements in each bin: {@code x[...], edges[n + 1] -> y[n]} (I64). Bins contain their
   * lower edge, the last bin also its upper edge. Elements outside and NaN are not counted. Edges
   * must increase.
   */
  public static <T> Expr<I64> histogram(Expr<T> x, Expr<T> edges) {
    long bins = bins(edges);
    return binned(place(x, edges), Scalars.filled(I64.INSTANCE, x.shape(), 1), bins);
  }

  /** Sum of the weights of the elements in each bin; see {@link #histogram(Expr, Expr)}. */
  public static <T, W> Expr<W> histogram(Expr<T> x, Expr<T> edges, Expr<W> weights) {
    long bins = bins(edges);
    if (!weights.shape().equals(x.shape())) {
      throw new ShapeException(
          "[histogram] there must be one weight per element; got x %s, weights %s."
              .formatted(x.label(), weights.label()));
    }
    return binned(place(x, edges), weights, bins);
  }

  /**
   * Number of elements in each of n bins of equal width from low to high; see {@link
   * #histogram(Expr, Expr)}. Floating point only.
   */
  public static <T> Expr<I64> histogram(Expr<T> x, long n, double low, double high) {
    Apply.requireFloat("histogram", x);
    if (n < 1 || !(low < high) || Double.isInfinite(high - low)) {
      throw new ShapeException(
          "[histogram] there must be one bin or more over a finite range; got %s bins from %s to %s."
              .formatted(n, low, high));
    }
    Expr<F64> scaled = x.cast(F64.INSTANCE).minus(low).times(n / (high - low));
    Expr<I64> last = Scalars.number(I64.INSTANCE, n - 1);
    Expr<I64> zero = Scalars.literal(I64.INSTANCE, 0);
    Expr<I64> guess =
        Apply.binary(Op.MIN, Apply.binary(Op.MAX, scaled.cast(I64.INSTANCE), zero), last);
    // The guess may be off by one through rounding.
    Expr<BOOL> below = x.lt(edge(x, guess, n, low, high));
    Expr<BOOL> above = x.ge(edge(x, guess.plus(1), n, low, high)).and(guess.lt(n - 1));
    Expr<I64> bin = guess.minus(below.cast(I64.INSTANCE)).plus(above.cast(I64.INSTANCE));
    Expr<BOOL> inside = x.ge(low).and(x.le(high));
    Expr<I64> place = where(inside, bin, Scalars.number(I64.INSTANCE, n));
    return binned(place, Scalars.filled(I64.INSTANCE, x.shape(), 1), n);
  }

  /**
   * Density of a probability in each bin: the number of elements by the number of those in any bin
   * and the width of the bin, so that the integral is 1. NaN without elements. Floating point only.
   */
  public static <T> Expr<T> histogramDensity(Expr<T> x, Expr<T> edges) {
    Apply.requireFloat("histogramDensity", x);
    return density(x, histogram(x, edges), diff(edges.cast(F64.INSTANCE), 1, 0));
  }

  /** Density in each of n bins of equal width; see {@link #histogramDensity(Expr, Expr)}. */
  public static <T> Expr<T> histogramDensity(Expr<T> x, long n, double low, double high) {
    Expr<I64> counts = histogram(x, n, low, high);
    return density(x, counts, Scalars.number(F64.INSTANCE, (high - low) / n));
  }

  private static <T> Expr<T> density(Expr<T> x, Expr<I64> counts, Expr<F64> width) {
    Expr<F64> all = sum(counts).cast(F64.INSTANCE);
    return counts.cast(F64.INSTANCE).div(all.times(width)).cast(x.dtype());
  }

  /** Edge k of n bins, in the dtype of x. */
  private static <T> Expr<T> edge(Expr<T> x, Expr<I64> k, long n, double low, double high) {
    Expr<F64> inner = k.cast(F64.INSTANCE).times((high - low) / n).plus(low);
    return where(k.eq(n), Scalars.number(F64.INSTANCE, high), inner).cast(x.dtype());
  }

  private static long bins(Expr<?> edges) {
    if (edges.shape().rank() != 1 || edges.shape().dim(0) < 2) {
      throw new ShapeException(
          "[histogram] edges must be a vector of two or more; got " + edges.label() + ".");
    }
    return edges.shape().dim(0) - 1;
  }

  /** Bin of each element; the number of bins for elements outside. */
  private static <T> Expr<I64> place(Expr<T> x, Expr<T> edges) {
    long bins = bins(edges);
    Expr<I64> at = search(edges, x, true).minus(1);
    Expr<BOOL> inLast = x.eq(edges.slice(Slice.at(bins)));
    return where(
        inLast,
        Scalars.number(I64.INSTANCE, bins - 1),
        where(at.lt(0), Scalars.number(I64.INSTANCE, bins), at));
  }

  private static <W> Expr<W> binned(Expr<I64> place, Expr<W> weights, long bins) {
    Expr<W> all =
        GatherScatter.scatter(
            "histogram", Operator.ADD, Shape.of(bins + 1), 0, place.flatten(), weights.flatten());
    return all.slice(Slice.range(0, bins));
  }

  // Interpolation and integrals

  /**
   * Piecewise linear interpolation at x of the points (xp, fp), with xp increasing: {@code x[...],
   * xp[n], fp[n] -> y[...]}. Constant beyond the first and last points.
   */
  public static <T> Expr<T> interp(Expr<T> x, Expr<T> xp, Expr<T> fp) {
    return interpolated(x, xp, fp, fp.slice(Slice.at(0)), fp.slice(Slice.at(-1)));
  }

  /**
   * Piecewise linear interpolation with the values left of the first and right of the last point.
   */
  public static <T> Expr<T> interp(Expr<T> x, Expr<T> xp, Expr<T> fp, double left, double right) {
    return interpolated(x, xp, fp, fp.number(left), fp.number(right));
  }

  private static <T> Expr<T> interpolated(
      Expr<T> x, Expr<T> xp, Expr<T> fp, Expr<T> left, Expr<T> right) {
    Apply.requireFloat("interp", x);
    Apply.requireEqual("interp", x, xp);
    Apply.requireEqual("interp", x, fp);
    if (xp.shape().rank() != 1 || !xp.shape().equals(fp.shape()) || xp.shape().dim(0) < 1) {
      throw new ShapeException(
          "[interp] xp and fp must be vectors of equal length, not empty; got xp %s, fp %s."
              .formatted(xp.label(), fp.label()));
    }
    long n = xp.shape().dim(0);
    Expr<T> first = xp.slice(Slice.at(0));
    Expr<T> last = xp.slice(Slice.at(-1));
    Expr<T> end = fp.slice(Slice.at(-1));
    Expr<T> inner = end;
    if (n > 1) {
      Expr<I64> found = search(xp, x, true).minus(1);
      Expr<I64> zero = Scalars.literal(I64.INSTANCE, 0);
      Expr<I64> highest = Scalars.number(I64.INSTANCE, n - 2);
      Expr<I64> at = Apply.binary(Op.MIN, Apply.binary(Op.MAX, found, zero), highest);
      Expr<T> x0 = GatherScatter.take(xp, at, 0);
      Expr<T> y0 = GatherScatter.take(fp, at, 0);
      Expr<T> width = GatherScatter.take(difference(xp, 0), at, 0);
      Expr<T> rise = GatherScatter.take(difference(fp, 0), at, 0);
      inner = rise.div(width).times(x.minus(x0)).plus(y0);
    }
    Expr<T> value =
        where(x.lt(first), left, where(x.gt(last), right, where(x.eq(last), end, inner)));
    return where(isNaN(x), x, value);
  }

  private static <T> Expr<T> difference(Expr<T> a, int axis) {
    return ArrayManipulation.slice(a, axis, Slice.from(1, 1))
        .minus(ArrayManipulation.slice(a, axis, Slice.range(0, -1)));
  }

  /** Differences of order n along an axis; the axis becomes n shorter. */
  public static <T> Expr<T> diff(Expr<T> a, int n, int axis) {
    int d = a.shape().axis(axis, "diff");
    if (n < 0) {
      throw new ShapeException("[diff] the order must not be negative; got " + n + ".");
    }
    Expr<T> result = a;
    for (int k = 0; k < n; k++) {
      result = difference(result, d);
    }
    return result;
  }

  /**
   * Derivative along an axis by differences of a given spacing: central inside, one-sided at both
   * ends. NumPy's {@code gradient}; {@link Ops#gradient} is automatic differentiation.
   */
  public static <T> Expr<T> centralDifferences(Expr<T> a, double spacing, int axis) {
    Apply.requireFloat("centralDifferences", a);
    int d = a.shape().axis(axis, "centralDifferences");
    if (a.shape().dim(d) < 2) {
      throw new ShapeException(
          "[centralDifferences] the axis must have two elements or more; got axis %s of %s."
              .formatted(d, a.label()));
    }
    Expr<T> steps = difference(a, d).div(spacing);
    Expr<T> inner =
        ArrayManipulation.slice(a, d, Slice.from(2, 1))
            .minus(ArrayManipulation.slice(a, d, Slice.range(0, -2)))
            .div(2 * spacing);
    return ArrayManipulation.concat(
        "centralDifferences",
        d,
        List.of(
            ArrayManipulation.slice(steps, d, Slice.range(0, 1)),
            inner,
            ArrayManipulation.slice(steps, d, Slice.from(-1, 1))));
  }

  /** Areas of the trapezoids between consecutive samples along an axis. */
  private static <T> Expr<T> areas(String op, Expr<T> y, Expr<T> widths, int axis) {
    Apply.requireFloat(op, y);
    Expr<T> sums =
        ArrayManipulation.slice(y, axis, Slice.from(1, 1))
            .plus(ArrayManipulation.slice(y, axis, Slice.range(0, -1)));
    return sums.times(widths).times(literal(y, 0.5));
  }

  private static <T> Expr<T> areas(String op, Expr<T> y, Expr<T> x) {
    int last = y.shape().axis(-1, op);
    if (x.shape().rank() < 1 || !x.shape().expandsTo(y.shape())) {
      throw new ShapeException(
          "[%s] the positions must broadcast to the samples; got y %s, x %s."
              .formatted(op, y.label(), x.label()));
    }
    return areas(op, y, difference(x.expand(y.shape().extents()), last), last);
  }

  /** Integral along the last axis by the trapezoidal rule, for samples at distance dx. */
  public static <T> Reduced<T> trapezoid(Expr<T> y, double dx) {
    return trapezoid(y, dx, -1);
  }

  /** Integral along the last axis by the trapezoidal rule, for samples at distance 1. */
  public static <T> Reduced<T> trapezoid(Expr<T> y) {
    return trapezoid(y, 1, -1);
  }

  /** Integral along an axis by the trapezoidal rule, for samples at distance dx. */
  public static <T> Reduced<T> trapezoid(Expr<T> y, double dx, int axis) {
    int d = y.shape().axis(axis, "trapezoid");
    return sum(areas("trapezoid", y, y.number(dx), d), d);
  }

  /** Integral along the last axis by the trapezoidal rule, for samples at positions x. */
  public static <T> Reduced<T> trapezoid(Expr<T> y, Expr<T> x) {
    return sum(areas("trapezoid", y, x), -1);
  }

  /**
   * Cumulative integral along the last axis by the trapezoidal rule, for samples at distance dx;
   * the axis becomes one shorter, as in SciPy's {@code cumulative_trapezoid}.
   */
  public static <T> Expr<T> cumulativeTrapezoid(Expr<T> y, double dx) {
    int last = y.shape().axis(-1, "cumulativeTrapezoid");
    return cumSum(areas("cumulativeTrapezoid", y, y.number(dx), last), last);
  }

  /** Cumulative integral along the last axis, for samples at positions x. */
  public static <T> Expr<T> cumulativeTrapezoid(Expr<T> y, Expr<T> x) {
    return cumSum(areas("cumulativeTrapezoid", y, x), -1);
  }

  // Grids and matrices

  /**
   * Coordinates of the points of a grid: {@code x[n], y[m] -> [m, n], [m, n]}, the default of
   * NumPy's {@code meshgrid}; without copies.
   */
  public static <T> List<Expr<T>> meshgrid(Expr<T> x, Expr<T> y) {
    long n = x.shape().elements();
    long m = y.shape().elements();
    return List.of(x.flatten().unsqueeze(0).expand(m, n), y.flatten().unsqueeze(1).expand(m, n));
  }

  /** Coordinates of the points of a grid of three axes: {@code [m, n, k]} each. */
  public static <T> List<Expr<T>> meshgrid(Expr<T> x, Expr<T> y, Expr<T> z) {
    long n = x.shape().elements();
    long m = y.shape().elements();
    long k = z.shape().elements();
    return List.of(
        x.flatten().reshape(1, n, 1).expand(m, n, k),
        y.flatten().reshape(m, 1, 1).expand(m, n, k),
        z.flatten().reshape(1, 1, k).expand(m, n, k));
  }

  /** Matrix with a vector on its main diagonal, or the main diagonal of a matrix. */
  public static <T> Expr<T> diag(Expr<T> a) {
    return diag(a, 0);
  }

  /** Matrix with a vector on diagonal k, or diagonal k of a matrix; k as in {@link Ops#tril}. */
  public static <T> Expr<T> diag(Expr<T> a, long k) {
    if (a.shape().rank() != 1) {
      return ArrayManipulation.diagonal(a, k);
    }
    long n = a.shape().dim(0) + Math.abs(k);
    Expr<T> columns = ArrayManipulation.pad(a, literal(a, 0), Math.max(0, k), Math.max(0, -k));
    Shape square = Shape.of(n, n);
    Expr<I64> rows = ArrayManipulation.index(square, 0).plus(k);
    return where(ArrayManipulation.index(square, 1).eq(rows), columns, literal(a, 0));
  }

  /** Cross product of vectors of three elements along the last axis, which broadcast. */
  public static <T> Expr<T> cross(Expr<T> a, Expr<T> b) {
    int last = a.shape().axis(-1, "cross");
    if (a.shape().dim(last) != 3 || b.shape().rank() < 1 || b.shape().dim(-1) != 3) {
      throw new ShapeException(
          "[cross] the last axes must have three elements; got a %s, b %s."
              .formatted(a.label(), b.label()));
    }
    Expr<T> a1 = ArrayManipulation.roll(a, -1, -1);
    Expr<T> b1 = ArrayManipulation.roll(b, -1, -1);
    Expr<T> a2 = ArrayManipulation.roll(a, 1, -1);
    Expr<T> b2 = ArrayManipulation.roll(b, 1, -1);
    return a1.times(b2).minus(a2.times(b1));
  }

  /** Rotates a matrix by k quarter turns, from the first axis towards the second. */
  public static <T> Expr<T> rot90(Expr<T> a, int k) {
    if (a.shape().rank() < 2) {
      throw new ShapeException(
          "[rot90] the operand must have two axes or more; got " + a.label() + ".");
    }
    return switch (Math.floorMod(k, 4)) {
      case 1 -> a.flip(1).swapAxes(0, 1);
      case 2 -> a.flip(0, 1);
      case 3 -> a.swapAxes(0, 1).flip(1);
      default -> a;
    };
  }
}
