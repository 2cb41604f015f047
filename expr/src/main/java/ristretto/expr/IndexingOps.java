package ristretto.expr;

import java.util.Arrays;
import java.util.List;

/** Operations that join, select, sort and view elements. */
abstract class IndexingOps extends BooleanMapOps {
  IndexingOps() {}

  /** Concatenates expressions along an axis; all other axes must be equal. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> concat(int axis, Expr<T>... parts) {
    return Joins.concat("concat", axis, List.of(parts));
  }

  /** Concatenates a list of expressions along an axis; all other axes must be equal. */
  public static <T> Expr<T> concat(int axis, List<? extends Expr<T>> parts) {
    return Joins.concat("concat", axis, List.copyOf(parts));
  }

  /** Stacks expressions of equal shape along a new axis {@code axis} of the result. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> stack(int axis, Expr<T>... parts) {
    return Joins.stack(axis, List.of(parts));
  }

  /** Stacks a list of expressions of equal shape along a new axis {@code axis} of the result. */
  public static <T> Expr<T> stack(int axis, List<? extends Expr<T>> parts) {
    return Joins.stack(axis, List.copyOf(parts));
  }

  /** Splits into equal parts along an axis, as views; {@code parts} must divide the extent. */
  public static <T> List<Expr<T>> split(Expr<T> a, int parts, int axis) {
    return Joins.split(a, parts, axis);
  }

  /**
   * Pads with zeros: {@code pad(a, before0, after0, before1, after1, ...)} takes the number of
   * zeros before and after each axis; trailing axes without padding may be omitted.
   */
  public static <T> Expr<T> pad(Expr<T> a, long... beforeAfter) {
    return padWith(a, 0, beforeAfter);
  }

  /** Pads with a value; amounts as in {@link #pad}. */
  public static <T> Expr<T> padWith(Expr<T> a, double value, long... beforeAfter) {
    return Joins.pad(a, a.number(value), beforeAfter);
  }

  /**
   * Rotates elements along an axis, towards its end if {@code shift} is positive; elements shifted
   * out re-enter at the other end.
   */
  public static <T> Expr<T> roll(Expr<T> a, long shift, int axis) {
    return Joins.roll(a, shift, axis);
  }

  /**
   * Sliding windows along the last axes, as a view: {@code a[..., h, w] -> y[..., oh, ow, kh, kw]}
   * for {@code sizes} [kh, kw]. Convolutions and pooling are products and reductions over windows.
   *
   * @param sizes extents of a window along each of the last axes
   * @param strides distances between consecutive windows
   * @param dilations distances between consecutive elements of a window
   * @throws ristretto.kernels.ShapeException if the arrays differ in length or have elements that
   *     are not positive, or a window is larger than the expression
   */
  public static <T> Expr<T> windows(Expr<T> a, long[] sizes, long[] strides, long[] dilations) {
    return new View<>(a, Views.windows(a.shape(), sizes, strides, dilations));
  }

  /**
   * Convolution of neural networks (cross-correlation): {@code images[n, channels, ...], filters[f,
   * channels / groups, ...] -> y[n, f, ...]}. Runs on a library of the device if available ({@link
   * Context#convolves}), or else as a product with {@link #windows}.
   *
   * @param strides distances between consecutive windows along each of the last axes, in elements
   * @param dilations distances between consecutive elements of a window
   * @param padding zeros added before and after each of the last axes
   * @param groups number of groups of channels and filters
   * @throws ristretto.kernels.ShapeException if shapes and parameters do not fit
   */
  public static <T> Expr<T> convolution(
      Expr<T> images,
      Expr<T> filters,
      long[] strides,
      long[] dilations,
      long[] padding,
      long groups) {
    return Convolve.of(images, filters, strides, dilations, padding, groups);
  }

  /** Sliding windows along the last axes with strides and dilations of 1, as a view. */
  public static <T> Expr<T> windows(Expr<T> a, long... sizes) {
    long[] ones = new long[sizes.length];
    Arrays.fill(ones, 1);
    return windows(a, sizes, ones, ones);
  }

  /** Differences of consecutive elements along an axis; the axis becomes one shorter. */
  public static <T> Expr<T> diff(Expr<T> a, int axis) {
    int d = a.shape().axis(axis, "diff");
    var later = new Slice[d + 1];
    Arrays.fill(later, Ops.all());
    Slice[] earlier = later.clone();
    later[d] = Ops.from(1);
    earlier[d] = Ops.range(0, -1);
    return a.slice(later).minus(a.slice(earlier));
  }

  /** Repeats the whole expression along each axis; counts align with the last axes, as in NumPy. */
  public static <T> Expr<T> tile(Expr<T> a, long... counts) {
    return Joins.tile(a, counts);
  }

  /** Repeats each element {@code count} times along an axis. */
  public static <T> Expr<T> repeat(Expr<T> a, long count, int axis) {
    return Joins.repeat(a, count, axis);
  }

  /**
   * Lower triangle of the last two axes: elements on and below diagonal k, zeros above. Diagonal 0
   * is the main diagonal, positive k lie above, negative k below.
   */
  public static <T> Expr<T> tril(Expr<T> a, long k) {
    Expr<I64> rows = Joins.matrixCoordinate("tril", a, -2);
    return where(
        Joins.matrixCoordinate("tril", a, -1).le(rows.plus(Joins.diagonalNumber(k))),
        a,
        literal(a, 0));
  }

  /** Lower triangle of the last two axes: elements on and below the main diagonal, zeros above. */
  public static <T> Expr<T> tril(Expr<T> a) {
    return tril(a, 0);
  }

  /**
   * Upper triangle of the last two axes: elements on and above diagonal k, zeros below; k as in
   * {@link #tril}.
   */
  public static <T> Expr<T> triu(Expr<T> a, long k) {
    Expr<I64> rows = Joins.matrixCoordinate("triu", a, -2);
    return where(
        Joins.matrixCoordinate("triu", a, -1).ge(rows.plus(Joins.diagonalNumber(k))),
        a,
        literal(a, 0));
  }

  /** Upper triangle of the last two axes: elements on and above the main diagonal, zeros below. */
  public static <T> Expr<T> triu(Expr<T> a) {
    return triu(a, 0);
  }

  /** Diagonal k of the last two axes, as a view: {@code a[..., n, n] -> y[..., n]} for k = 0. */
  public static <T> Expr<T> diagonal(Expr<T> a, long k) {
    return Joins.diagonal(a, k);
  }

  /** Main diagonal of the last two axes, as a view. */
  public static <T> Expr<T> diagonal(Expr<T> a) {
    return diagonal(a, 0);
  }

  /** Sum of the main diagonal of the last two axes. */
  public static <T> Expr<T> trace(Expr<T> a) {
    return sum(diagonal(a, 0), -1);
  }

  /**
   * Gathers elements at {@code indices} (I32 or I64) along an axis: {@code a[..., n, ...], i[p, q]
   * -> y[..., p, q, ...]}. Indices must lie in [-n, n), negative indices count from the end;
   * evaluation with an index out of range throws a {@link ristretto.kernels.ShapeException}.
   */
  public static <T> Expr<T> take(Expr<T> a, Expr<?> indices, int axis) {
    return Gathers.take(a, indices, axis);
  }

  /**
   * Gathers elements like NumPy's take_along_axis: {@code a[..., n, ...], i[..., m, ...] -> y[...,
   * m, ...]}. {@code indices} and {@code a} have equal rank and broadcast on all axes except {@code
   * axis}. Index range and errors as in {@link #take}.
   */
  public static <T> Expr<T> takeAlongAxis(Expr<T> a, Expr<?> indices, int axis) {
    return Gathers.takeAlongAxis(a, indices, axis);
  }

  /**
   * One-hot encoding in F32 along a new last axis: {@code i[p] -> y[p, n]}. Indices outside [0, n),
   * including negative indices, give zeros.
   */
  public static Expr<F32> oneHot(Expr<?> indices, long n) {
    return oneHot(F32.INSTANCE, indices, n);
  }

  /**
   * One-hot encoding in a given dtype along a new last axis: {@code i[p] -> y[p, n]}. Indices
   * outside [0, n), including negative indices, give zeros.
   */
  public static <T> Expr<T> oneHot(DType<T> dtype, Expr<?> indices, long n) {
    return Gathers.oneHot(dtype, indices, n);
  }

  /**
   * Adds values at indices along an axis to zeros of {@code shape}: the gradient of {@link #take}
   * with equal axis and indices. Indices may repeat. {@code values} broadcast to the shape with the
   * axis replaced by the indices' axes. Sums do not depend on the number of threads; F32 sums have
   * the accuracy of {@link ReductionOps#sum}, sums of F16 and BF16 are rounded once.
   */
  public static <T> Expr<T> scatterAdd(Shape shape, int axis, Expr<?> indices, Expr<T> values) {
    return Gathers.scatterAdd(shape, axis, indices, values);
  }

  /**
   * Sorts in ascending order along an axis; stable, with NaN last and zeros of either sign equal.
   */
  public static <T> Expr<T> sort(Expr<T> a, int axis) {
    int d = a.shape().axis(axis, "sort");
    return new Sort<>(a.dtype(), a.shape(), a, d, false, false);
  }

  /** Positions along an axis in the order of {@link #sort}. */
  public static <T> Expr<I64> argSort(Expr<T> a, int axis) {
    int d = a.shape().axis(axis, "argSort");
    return new Sort<>(I64.INSTANCE, a.shape(), a, d, false, true);
  }

  /**
   * The k largest elements along an axis in descending order, NaN last; among equal elements the
   * first.
   */
  public static <T> Expr<T> topK(Expr<T> a, int k, int axis) {
    return new Sort<>(
        a.dtype(), Gathers.top(a, k, axis), a, a.shape().axis(axis, "topK"), true, false);
  }

  /** Positions of the k largest elements along an axis in the order of {@link #topK}. */
  public static <T> Expr<I64> argTopK(Expr<T> a, int k, int axis) {
    return new Sort<>(
        I64.INSTANCE, Gathers.top(a, k, axis), a, a.shape().axis(axis, "argTopK"), true, true);
  }

  /** Coordinate of each element along an axis: for axis 1 of a matrix, 0, 1, 2, ... in each row. */
  public static Expr<I64> coordinate(Shape shape, int axis) {
    return new Index(shape, shape.axis(axis, "coordinate"));
  }

  // Views by function

  /** Row-major elements in another shape; see {@link Expr#reshape}. */
  public static <T> Expr<T> reshape(Expr<T> a, long... dims) {
    return a.reshape(dims);
  }

  /** View with all axes reversed; see {@link Expr#t}. */
  public static <T> Expr<T> transpose(Expr<T> a) {
    return a.t();
  }

  /** View with the axes in another order; see {@link Expr#permute}. */
  public static <T> Expr<T> permute(Expr<T> a, int... axes) {
    return a.permute(axes);
  }

  /** Broadcasts to the given extents; see {@link Expr#expand}. */
  public static <T> Expr<T> expand(Expr<T> a, long... dims) {
    return a.expand(dims);
  }

  /** Reverses axes; see {@link Expr#flip}. */
  public static <T> Expr<T> flip(Expr<T> a, int... axes) {
    return a.flip(axes);
  }

  /** Converts elements to another dtype; see {@link Expr#cast}. */
  public static <T, R> Expr<R> cast(Expr<T> a, DType<R> to) {
    return a.cast(to);
  }
}
