package ristretto.expr;

import java.util.Arrays;
import java.util.List;

/** Joining, selecting, sorting and views. */
abstract class IndexingOps extends BooleanMapOps {
  IndexingOps() {}

  /** Expressions one after another along an axis. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> concat(int axis, Expr<T>... parts) {
    return Joins.concat("concat", axis, List.of(parts));
  }

  public static <T> Expr<T> concat(int axis, List<? extends Expr<T>> parts) {
    return Joins.concat("concat", axis, List.copyOf(parts));
  }

  /** Expressions of one shape along a new axis. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> stack(int axis, Expr<T>... parts) {
    return Joins.stack(axis, List.of(parts));
  }

  public static <T> Expr<T> stack(int axis, List<? extends Expr<T>> parts) {
    return Joins.stack(axis, List.copyOf(parts));
  }

  /** Equal parts along an axis, as views. */
  public static <T> List<Expr<T>> split(Expr<T> a, int parts, int axis) {
    return Joins.split(a, parts, axis);
  }

  /**
   * Zeros around: {@code pad(a, before0, after0, before1, after1, ...)}, trailing axes without
   * padding left out.
   */
  public static <T> Expr<T> pad(Expr<T> a, long... beforeAfter) {
    return padWith(a, 0, beforeAfter);
  }

  /** A value around. */
  public static <T> Expr<T> padWith(Expr<T> a, double value, long... beforeAfter) {
    return Joins.pad(a, a.number(value), beforeAfter);
  }

  /** Elements shifted along an axis, those shifted out coming in at the other end. */
  public static <T> Expr<T> roll(Expr<T> a, long shift, int axis) {
    return Joins.roll(a, shift, axis);
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

  /** The whole repeated {@code counts[d]} times along each axis. */
  public static <T> Expr<T> tile(Expr<T> a, long... counts) {
    return Joins.tile(a, counts);
  }

  /** Each element repeated along an axis. */
  public static <T> Expr<T> repeat(Expr<T> a, long count, int axis) {
    return Joins.repeat(a, count, axis);
  }

  /** Elements on and below diagonal k of the last two axes, zeros above. */
  public static <T> Expr<T> tril(Expr<T> a, long k) {
    Expr<I64> rows = Joins.matrixCoordinate("tril", a, -2);
    return where(Joins.matrixCoordinate("tril", a, -1).le(rows.plus(k)), a, literal(a, 0));
  }

  public static <T> Expr<T> tril(Expr<T> a) {
    return tril(a, 0);
  }

  /** Elements on and above diagonal k of the last two axes, zeros below. */
  public static <T> Expr<T> triu(Expr<T> a, long k) {
    Expr<I64> rows = Joins.matrixCoordinate("triu", a, -2);
    return where(Joins.matrixCoordinate("triu", a, -1).ge(rows.plus(k)), a, literal(a, 0));
  }

  public static <T> Expr<T> triu(Expr<T> a) {
    return triu(a, 0);
  }

  /** Diagonal k of the last two axes. */
  public static <T> Expr<T> diagonal(Expr<T> a, long k) {
    return Joins.diagonal(a, k);
  }

  public static <T> Expr<T> diagonal(Expr<T> a) {
    return diagonal(a, 0);
  }

  /** Sum of the diagonal of the last two axes. */
  public static <T> Expr<T> trace(Expr<T> a) {
    return sum(diagonal(a, 0), -1);
  }

  /**
   * Elements at {@code indices} (I32 or I64) along an axis: {@code a[..., n, ...], i[p, q] -> [...,
   * p, q, ...]}. Negative indices count from the end; others must be below n.
   */
  public static <T> Expr<T> take(Expr<T> a, Expr<?> indices, int axis) {
    return Gathers.take(a, indices, axis);
  }

  /**
   * NumPy's take_along_axis: {@code indices} has the result's shape and broadcasts against a off
   * the axis.
   */
  public static <T> Expr<T> takeAlongAxis(Expr<T> a, Expr<?> indices, int axis) {
    return Gathers.takeAlongAxis(a, indices, axis);
  }

  /** 1 where the new last axis equals the index, else 0; indices outside [0, n) give zeros. */
  public static Expr<F32> oneHot(Expr<?> indices, long n) {
    return oneHot(F32.INSTANCE, indices, n);
  }

  public static <T> Expr<T> oneHot(DType<T> dtype, Expr<?> indices, long n) {
    return Gathers.oneHot(dtype, indices, n);
  }

  /**
   * Zeros of {@code shape}, to which values are added at indices along an axis: the gradient of
   * {@code take} with the same axis and indices. Deterministic.
   */
  public static <T> Expr<T> scatterAdd(Shape shape, int axis, Expr<?> indices, Expr<T> values) {
    return Gathers.scatterAdd(shape, axis, indices, values);
  }

  /** Ascending along an axis, NaN last, zeros of either sign equal; stable. */
  public static <T> Expr<T> sort(Expr<T> a, int axis) {
    int d = a.shape().axis(axis, "sort");
    return new Sort<>(a.dtype(), a.shape(), a, d, false, false);
  }

  /** Positions that would sort along an axis. */
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

  /** Position of each element along an axis. */
  public static Expr<I64> coordinate(Shape shape, int axis) {
    return new Index(shape, shape.axis(axis, "coordinate"));
  }

  // Views by function

  public static <T> Expr<T> reshape(Expr<T> a, long... dims) {
    return a.reshape(dims);
  }

  public static <T> Expr<T> transpose(Expr<T> a) {
    return a.t();
  }

  public static <T> Expr<T> permute(Expr<T> a, int... axes) {
    return a.permute(axes);
  }

  public static <T> Expr<T> expand(Expr<T> a, long... dims) {
    return a.expand(dims);
  }

  public static <T> Expr<T> flip(Expr<T> a, int... axes) {
    return a.flip(axes);
  }

  public static <T, R> Expr<R> cast(Expr<T> a, DType<R> to) {
    return a.cast(to);
  }
}
