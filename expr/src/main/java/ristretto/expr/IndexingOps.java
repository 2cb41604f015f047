package ristretto.expr;

import java.util.Arrays;
import java.util.List;

/** Joining, selecting, sorting and views. */
abstract class IndexingOps extends BooleanMapOps {
  IndexingOps() {}

  /** Expressions one after another along an axis; their other axes must be equal. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> concat(int axis, Expr<T>... parts) {
    return Joins.concat("concat", axis, List.of(parts));
  }

  /** As {@link #concat(int, Expr...)}. */
  public static <T> Expr<T> concat(int axis, List<? extends Expr<T>> parts) {
    return Joins.concat("concat", axis, List.copyOf(parts));
  }

  /** Expressions of one shape along a new axis, which becomes axis {@code axis} of the result. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> stack(int axis, Expr<T>... parts) {
    return Joins.stack(axis, List.of(parts));
  }

  /** As {@link #stack(int, Expr...)}. */
  public static <T> Expr<T> stack(int axis, List<? extends Expr<T>> parts) {
    return Joins.stack(axis, List.copyOf(parts));
  }

  /** Equal parts along an axis, as views; its extent must be divisible. */
  public static <T> List<Expr<T>> split(Expr<T> a, int parts, int axis) {
    return Joins.split(a, parts, axis);
  }

  /**
   * Zeros around: {@code pad(a, before0, after0, before1, after1, ...)}, how many before and after
   * along each axis; trailing axes without padding may be left out.
   */
  public static <T> Expr<T> pad(Expr<T> a, long... beforeAfter) {
    return padWith(a, 0, beforeAfter);
  }

  /** A value around; amounts as in {@link #pad}. */
  public static <T> Expr<T> padWith(Expr<T> a, double value, long... beforeAfter) {
    return Joins.pad(a, a.number(value), beforeAfter);
  }

  /**
   * Elements shifted along an axis, towards its end if {@code shift} is positive; those shifted out
   * come in at the other end.
   */
  public static <T> Expr<T> roll(Expr<T> a, long shift, int axis) {
    return Joins.roll(a, shift, axis);
  }

  /**
   * Windows that slide along the last axes, without copying: {@code a[..., h, w]} with {@code
   * sizes} [kh, kw] becomes {@code [..., oh, ow, kh, kw]}. Convolutions and pooling are products
   * and reductions over them.
   *
   * @param sizes of a window along each of the last axes
   * @param strides from one window to the next
   * @param dilations from one element of a window to the next
   * @throws ristretto.kernels.ShapeException if they differ in number, are not positive, or a
   *     window is larger than the expression
   */
  public static <T> Expr<T> windows(Expr<T> a, long[] sizes, long[] strides, long[] dilations) {
    return new View<>(a, Views.windows(a.shape(), sizes, strides, dilations));
  }

  /**
   * Convolution as neural networks have it (cross-correlation): images {@code [n, channels, ...]}
   * and filters {@code [f, channels / groups, ...]} give {@code [n, f, ...]}. By a library of the
   * device where it has one ({@link Context#convolves}), else a product with {@link #windows}.
   *
   * @param strides elements from one window to the next, along each of the last axes
   * @param dilations elements from one element of a window to the next
   * @param padding zeros added before and after each of the last axes
   * @param groups into which channels and filters are divided
   * @throws ristretto.kernels.ShapeException if these do not fit together
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

  /** The same with windows that begin at every element. */
  public static <T> Expr<T> windows(Expr<T> a, long... sizes) {
    long[] ones = new long[sizes.length];
    Arrays.fill(ones, 1);
    return windows(a, sizes, ones, ones);
  }

  /** Each element less the one before it along an axis, which becomes one shorter. */
  public static <T> Expr<T> diff(Expr<T> a, int axis) {
    int d = a.shape().axis(axis, "diff");
    var later = new Slice[d + 1];
    Arrays.fill(later, Ops.all());
    Slice[] earlier = later.clone();
    later[d] = Ops.from(1);
    earlier[d] = Ops.range(0, -1);
    return a.slice(later).minus(a.slice(earlier));
  }

  /** The whole repeated along each axis; the last count is the last axis's, as in NumPy. */
  public static <T> Expr<T> tile(Expr<T> a, long... counts) {
    return Joins.tile(a, counts);
  }

  /** Each element repeated {@code count} times in a row along an axis. */
  public static <T> Expr<T> repeat(Expr<T> a, long count, int axis) {
    return Joins.repeat(a, count, axis);
  }

  /**
   * Elements on and below diagonal k of the last two axes, zeros above; diagonal 0 is the main one,
   * positive ones lie above it, negative ones below.
   */
  public static <T> Expr<T> tril(Expr<T> a, long k) {
    Expr<I64> rows = Joins.matrixCoordinate("tril", a, -2);
    return where(
        Joins.matrixCoordinate("tril", a, -1).le(rows.plus(Joins.diagonalNumber(k))),
        a,
        literal(a, 0));
  }

  /** Elements on and below the main diagonal of the last two axes, zeros above. */
  public static <T> Expr<T> tril(Expr<T> a) {
    return tril(a, 0);
  }

  /** Elements on and above diagonal k of the last two axes, counted as in tril; zeros below. */
  public static <T> Expr<T> triu(Expr<T> a, long k) {
    Expr<I64> rows = Joins.matrixCoordinate("triu", a, -2);
    return where(
        Joins.matrixCoordinate("triu", a, -1).ge(rows.plus(Joins.diagonalNumber(k))),
        a,
        literal(a, 0));
  }

  /** Elements on and above the main diagonal of the last two axes, zeros below. */
  public static <T> Expr<T> triu(Expr<T> a) {
    return triu(a, 0);
  }

  /** Diagonal k of the last two axes, as a view: {@code a[..., n, n] -> [..., n]} if k is 0. */
  public static <T> Expr<T> diagonal(Expr<T> a, long k) {
    return Joins.diagonal(a, k);
  }

  /** Main diagonal of the last two axes. */
  public static <T> Expr<T> diagonal(Expr<T> a) {
    return diagonal(a, 0);
  }

  /** Sum of the diagonal of the last two axes. */
  public static <T> Expr<T> trace(Expr<T> a) {
    return sum(diagonal(a, 0), -1);
  }

  /**
   * Elements at {@code indices} (I32 or I64) along an axis: {@code a[..., n, ...], i[p, q] -> [...,
   * p, q, ...]}. Indices from -n to n - 1 are valid, negative ones count from the end; others are a
   * {@link ristretto.kernels.ShapeException} when it is evaluated.
   */
  public static <T> Expr<T> take(Expr<T> a, Expr<?> indices, int axis) {
    return Gathers.take(a, indices, axis);
  }

  /**
   * NumPy's take_along_axis: {@code indices} has the result's shape and broadcasts against a off
   * the axis. Indices as in {@link #take}.
   */
  public static <T> Expr<T> takeAlongAxis(Expr<T> a, Expr<?> indices, int axis) {
    return Gathers.takeAlongAxis(a, indices, axis);
  }

  /**
   * 1 where the position along a new last axis of extent n is the index, else 0: {@code i[p] -> [p,
   * n]}. Indices outside [0, n), negative ones too, give zeros.
   */
  public static Expr<F32> oneHot(Expr<?> indices, long n) {
    return oneHot(F32.INSTANCE, indices, n);
  }

  /** As {@link #oneHot(Expr, long)}, in another dtype. */
  public static <T> Expr<T> oneHot(DType<T> dtype, Expr<?> indices, long n) {
    return Gathers.oneHot(dtype, indices, n);
  }

  /**
   * Zeros of {@code shape}, to which values are added at indices along an axis: the gradient of
   * {@code take} with the same axis and indices, which may repeat. {@code values} broadcast to the
   * shape with the axis replaced by the indices' axes. Equal sums whatever the number of threads;
   * the error of each F32 sum is that of a {@link ReductionOps#sum}, sums of F16 and BF16 are
   * rounded once.
   */
  public static <T> Expr<T> scatterAdd(Shape shape, int axis, Expr<?> indices, Expr<T> values) {
    return Gathers.scatterAdd(shape, axis, indices, values);
  }

  /** Sorted ascending along an axis, NaN last, zeros of either sign equal; stable. */
  public static <T> Expr<T> sort(Expr<T> a, int axis) {
    int d = a.shape().axis(axis, "sort");
    return new Sort<>(a.dtype(), a.shape(), a, d, false, false);
  }

  /** Positions that would sort along an axis, as {@link #sort} does. */
  public static <T> Expr<I64> argSort(Expr<T> a, int axis) {
    int d = a.shape().axis(axis, "argSort");
    return new Sort<>(I64.INSTANCE, a.shape(), a, d, false, true);
  }

  /** The k largest along an axis, largest first, NaN last; of equal ones the first. */
  public static <T> Expr<T> topK(Expr<T> a, int k, int axis) {
    return new Sort<>(
        a.dtype(), Gathers.top(a, k, axis), a, a.shape().axis(axis, "topK"), true, false);
  }

  /** Positions of the k largest along an axis, as {@link #topK} orders them. */
  public static <T> Expr<I64> argTopK(Expr<T> a, int k, int axis) {
    return new Sort<>(
        I64.INSTANCE, Gathers.top(a, k, axis), a, a.shape().axis(axis, "argTopK"), true, true);
  }

  /** Position of each element of a shape along an axis: along axis 1, 0, 1, 2, ... in each row. */
  public static Expr<I64> coordinate(Shape shape, int axis) {
    return new Index(shape, shape.axis(axis, "coordinate"));
  }

  // Views by function

  /** As {@link Expr#reshape}. */
  public static <T> Expr<T> reshape(Expr<T> a, long... dims) {
    return a.reshape(dims);
  }

  /** All axes reversed; as {@link Expr#t}. */
  public static <T> Expr<T> transpose(Expr<T> a) {
    return a.t();
  }

  /** As {@link Expr#permute}. */
  public static <T> Expr<T> permute(Expr<T> a, int... axes) {
    return a.permute(axes);
  }

  /** As {@link Expr#expand}. */
  public static <T> Expr<T> expand(Expr<T> a, long... dims) {
    return a.expand(dims);
  }

  /** As {@link Expr#flip}. */
  public static <T> Expr<T> flip(Expr<T> a, int... axes) {
    return a.flip(axes);
  }

  /** As {@link Expr#cast}. */
  public static <T, R> Expr<R> cast(Expr<T> a, DType<R> to) {
    return a.cast(to);
  }
}
