package ristretto.expr;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.expr.graph.Barrier.Scatter;
import ristretto.expr.index.MaskedCopy;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Kernel.Scatter.Operator;

/**
 * Operations of a context whose results have shapes that depend on elements, and assignments to
 * selected elements.
 */
abstract sealed class ContextSelections extends TensorFactories permits Context {
  ContextSelections() {}

  abstract Session session();

  abstract <T> Tensor<T> evaluated(Expr<T> expr);

  abstract <T> void assigned(Tensor<T> target, Expr<T> expr);

  /** Throws an exception if this context is recording. */
  abstract void requireNoRecording(String op);

  // Selection by mask

  /**
   * Elements where the mask is true, NumPy's {@code a[mask]}: {@code a[n, m, ...], mask[n, m] ->
   * y[count, ...]}, in row-major order.
   *
   * @param mask shape of the expression or of its first axes
   * @throws ShapeException if the shapes do not fit, or inside of a recording, since the shape of
   *     the result is known only after the mask is evaluated
   */
  public <T> Tensor<T> compress(Expr<T> a, Expr<BOOL> mask) {
    requireMask("compress", a, mask);
    boolean elements = mask.shape().rank() == a.shape().rank();
    if (elements && a instanceof Tensor<T> t && MaskedCopy.copies(t.dtype().bytes())) {
      Optional<Tensor<T>> compressed = inPlace("compress", mask, t);
      if (compressed.isPresent()) {
        return compressed.get();
      }
    }
    long[] dims = rest(a.shape(), mask.shape().rank(), mask.shape().elements());
    return evaluated(Ops.take(a.reshape(dims), positions("compress", mask), 0));
  }

  /** Slices along an axis where the mask, a vector, is true; see {@link #compress(Expr, Expr)}. */
  public <T> Tensor<T> compress(Expr<T> a, Expr<BOOL> mask, int axis) {
    int d = a.shape().axis(axis, "compress");
    if (mask.shape().rank() != 1 || mask.shape().at(0) != a.shape().at(d)) {
      throw new ShapeException(
          "[compress] the mask must have one element per entry of axis %s; got a %s, mask %s."
              .formatted(d, a.label(), mask.label()));
    }
    return evaluated(Ops.take(a, positions("compress", mask), d));
  }

  private static void requireMask(String op, Expr<?> a, Expr<BOOL> mask) {
    Shape shape = mask.shape();
    boolean fits = shape.rank() <= a.shape().rank() && shape.rank() > 0;
    for (int d = 0; fits && d < shape.rank(); d++) {
      fits = shape.at(d) == a.shape().at(d);
    }
    if (!fits) {
      throw new ShapeException(
          "[%s] the mask must have the shape of the first axes; got a %s, mask %s."
              .formatted(op, a.label(), mask.label()));
    }
  }

  /** Shape with its first axes replaced by one. */
  private static long[] rest(Shape shape, int axes, long first) {
    long[] dims = new long[shape.rank() - axes + 1];
    dims[0] = first;
    for (int d = 1; d < dims.length; d++) {
      dims[d] = shape.at(axes + d - 1);
    }
    return dims;
  }

  /**
   * Elements where a mask of the same shape is true, or their row-major numbers, copied by the
   * host; empty if the host cannot access the memory.
   *
   * @param t elements; null for numbers
   */
  private <T> Optional<Tensor<T>> inPlace(String op, Expr<BOOL> mask, Tensor<T> t) {
    requireNoRecording(op);
    Session session = session();
    boolean stored = mask instanceof Tensor<BOOL> m && m.layout().isContiguous();
    Tensor<BOOL> flat = stored ? (Tensor<BOOL>) mask : evaluated(mask);
    try {
      return inPlace(session, flat, t);
    } finally {
      if (!stored) {
        session.free(flat);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private <T> Optional<Tensor<T>> inPlace(Session session, Tensor<BOOL> flat, Tensor<T> t) {
    var made = new MaskedCopy[1];
    MaskedCopy.Threads threads = session.device()::runOnHost;
    if (!session.runInPlace(List.of(flat), m -> made[0] = new MaskedCopy(threads, m.get(0)))) {
      return Optional.empty();
    }
    MaskedCopy copy = made[0];
    if (t == null) {
      Tensor<I64> to = empty(I64.INSTANCE, copy.count());
      session.runInPlace(List.of(flat, to), m -> copy.positions(m.get(0), m.get(1)));
      return Optional.of((Tensor<T>) to);
    }
    Tensor<T> from = session.contiguous(t);
    Tensor<T> to = empty(t.dtype(), copy.count());
    int bytes = t.dtype().bytes();
    session.runInPlace(
        List.of(flat, from, to), m -> copy.elements(m.get(0), m.get(1), bytes, m.get(2)));
    return Optional.of(to);
  }

  /** Row-major numbers of the true elements. */
  private Tensor<I64> positions(String op, Expr<BOOL> mask) {
    requireNoRecording(op);
    long n = mask.shape().elements();
    if (n == 0) {
      return empty(I64.INSTANCE, 0);
    }
    Optional<Tensor<I64>> numbers = inPlace(op, mask, null);
    return numbers.isPresent() ? numbers.get() : scattered(mask, n);
  }

  /** Row-major numbers of the true elements, by kernels of the device. */
  private Tensor<I64> scattered(Expr<BOOL> mask, long n) {
    Tensor<BOOL> flat = evaluated(mask.flatten());
    Tensor<I64> numbers = evaluated(Ops.cumSum(flat.cast(I64.INSTANCE), 0));
    long count = numbers.slice(Slice.range(n - 1, n)).toLongArray()[0];
    // Elements that are false go to one place after the others.
    Expr<I64> place = Apply.select(flat, numbers.minus(1), Scalars.number(I64.INSTANCE, count));
    Expr<I64> all =
        GatherScatter.scatter(
            Shape.of(count + 1),
            new Scatter(0, false, Operator.LAST),
            place,
            ArrayManipulation.index(Shape.of(n), 0));
    return evaluated(all).slice(Slice.range(0, count));
  }

  /**
   * Positions of the elements that are not 0: {@code a[...] -> y[count, rank]}, in row-major order,
   * as NumPy's {@code argwhere}.
   *
   * @throws ShapeException inside of a recording
   */
  public <T> Tensor<I64> nonzero(Expr<T> a) {
    List<Expr<I64>> axes = coordinates(a);
    return axes.isEmpty()
        ? evaluated(
            positions("nonzero", a.cast(BOOL.INSTANCE).flatten())
                .reshape(-1, 1)
                .slice(Slice.all(), Slice.range(0, 0)))
        : evaluated(ArrayManipulation.stack(1, axes));
  }

  /**
   * Positions of the elements that are not 0, as one vector per axis: indices for {@link Ops#take}
   * of a vector. NumPy's {@code nonzero}.
   */
  public <T> List<Tensor<I64>> nonzeroAxes(Expr<T> a) {
    var all = new ArrayList<Tensor<I64>>();
    coordinates(a).forEach(c -> all.add(c instanceof Tensor<I64> t ? t : evaluated(c)));
    return all;
  }

  private <T> List<Expr<I64>> coordinates(Expr<T> a) {
    var axes = new ArrayList<Expr<I64>>();
    if (a.shape().rank() == 0) {
      return axes;
    }
    Tensor<I64> numbers = positions("nonzero", a.cast(BOOL.INSTANCE));
    long before = 1;
    for (int d = a.shape().rank() - 1; d >= 0; d--) {
      long extent = a.shape().at(d);
      Expr<I64> rows = before > 1 ? numbers.div(before) : numbers;
      axes.addFirst(d > 0 ? rows.rem(Math.max(1, extent)) : rows);
      before *= extent;
    }
    return axes;
  }

  // Unique elements

  /**
   * Unique elements in ascending order, as a vector; all NaN count as one, and zeros of either sign
   * as equal.
   *
   * @throws ShapeException inside of a recording
   */
  public <T> Tensor<T> unique(Expr<T> a) {
    requireNoRecording("unique");
    Tensor<T> sorted = evaluated(Ops.sort(a.flatten(), 0));
    Tensor<T> unique = compress(sorted, starts(sorted));
    session().free(sorted);
    return unique;
  }

  /** Unique elements with their first positions, inverse and counts; see {@link #unique}. */
  public <T> Context.Unique<T> uniqueAll(Expr<T> a) {
    requireNoRecording("uniqueAll");
    Tensor<T> flat = evaluated(a.flatten());
    long n = flat.shape().elements();
    Tensor<I64> order = evaluated(Ops.argSort(flat, 0));
    Tensor<T> sorted = evaluated(Ops.take(flat, order, 0));
    Tensor<BOOL> starts = evaluated(starts(sorted));
    Tensor<I64> at = positions("uniqueAll", starts);
    Tensor<I64> numbers = evaluated(Ops.cumSum(starts.cast(I64.INSTANCE), 0).minus(1));
    Expr<I64> inverse =
        GatherScatter.scatter(Shape.of(n), new Scatter(0, false, Operator.LAST), order, numbers);
    Expr<I64> ends =
        ArrayManipulation.pad(at, Scalars.number(I64.INSTANCE, n), 0, 1).slice(Slice.from(1, 1));
    return new Context.Unique<>(
        evaluated(Ops.take(sorted, at, 0)),
        evaluated(Ops.take(order, at, 0)),
        evaluated(inverse.reshape(a.shape().extents())),
        evaluated(ends.minus(at)));
  }

  /** True for the first of equal elements of a sorted vector. */
  private static <T> Expr<BOOL> starts(Tensor<T> sorted) {
    if (sorted.shape().elements() == 0) {
      return sorted.cast(BOOL.INSTANCE);
    }
    Expr<T> later = sorted.slice(Slice.from(1, 1));
    Expr<T> before = sorted.slice(Slice.range(0, -1));
    Expr<BOOL> differs = later.ne(before);
    if (sorted.dtype().isFloat()) {
      differs = differs.and(Ops.isNaN(later).and(Ops.isNaN(before)).not());
    }
    return ArrayManipulation.pad(differs, Scalars.literal(BOOL.INSTANCE, 1), 1, 0);
  }

  /** Unique elements of both expressions, in ascending order; NumPy's {@code union1d}. */
  public <T> Tensor<T> union(Expr<T> a, Expr<T> b) {
    return unique(ArrayManipulation.concat("union", 0, List.of(a.flatten(), b.flatten())));
  }

  /**
   * Unique elements that are in both expressions, in ascending order; NumPy's {@code intersect1d}.
   */
  public <T> Tensor<T> intersection(Expr<T> a, Expr<T> b) {
    Tensor<T> own = unique(a);
    return compress(own, Ops.isIn(own, b));
  }

  /** Unique elements of a that are not in b, in ascending order; NumPy's {@code setdiff1d}. */
  public <T> Tensor<T> difference(Expr<T> a, Expr<T> b) {
    Tensor<T> own = unique(a);
    return compress(own, Ops.isIn(own, b).not());
  }

  // Assignment to selected elements

  /**
   * Assigns values to entries along an axis, NumPy's {@code t[indices] = values}: {@code t[..., n,
   * ...], indices[p, q], values[..., p, q, ...]}; the values broadcast. Of several values for one
   * element, the last one in row-major order stays. Negative indices count from the end.
   *
   * @throws ShapeException if shapes or dtypes do not fit, or an index is out of range; then the
   *     tensor is unchanged
   */
  public <T> void assignAt(Tensor<T> t, int axis, Expr<?> indices, Expr<T> values) {
    assigned(t, GatherScatter.assigned(t, axis, indices, values));
  }

  /** Assigns a number to entries along an axis; see {@link #assignAt(Tensor, int, Expr, Expr)}. */
  public <T> void assignAt(Tensor<T> t, int axis, Expr<?> indices, double value) {
    assignAt(t, axis, indices, t.number(value));
  }

  /**
   * Assigns values to the elements where the mask is true. The values must broadcast to the tensor;
   * unlike NumPy's {@code t[mask] = values}, values of a vector are not distributed one by one.
   *
   * @param mask shape of the tensor or of its first axes
   */
  public <T> void assignWhere(Tensor<T> t, Expr<BOOL> mask, Expr<T> values) {
    requireMask("assignWhere", t, mask);
    Apply.requireEqual("assignWhere", t, values);
    if (!values.shape().expandsTo(t.shape())) {
      throw new ShapeException(
          "[assignWhere] values must broadcast to the tensor; got t %s, values %s."
              .formatted(t.label(), values.label()));
    }
    Expr<BOOL> wide = mask;
    while (wide.shape().rank() < t.shape().rank()) {
      wide = wide.unsqueeze(-1);
    }
    assigned(t, Apply.select(wide, values, t));
  }

  /** Assigns a number to the elements where the mask is true. */
  public <T> void assignWhere(Tensor<T> t, Expr<BOOL> mask, double value) {
    assignWhere(t, mask, t.number(value));
  }
}
