package ristretto.expr;

import ristretto.expr.dim.UnknownDims;
import ristretto.expr.graph.Barrier.Scatter;
import ristretto.expr.graph.Barrier.Sort;
import ristretto.expr.graph.Gather;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Kernel.Scatter.Operator;

/** Checks the arguments of gathers and scatters. */
final class GatherScatter {
  private GatherScatter() {}

  @SuppressWarnings("unchecked")
  static <T> Expr<T> take(Expr<T> a, Expr<?> indices, int axis) {
    int d = a.shape().axis(axis, "take");
    Expr<F32> quantized = QuantizedTensor.taken(a, indices, d);
    if (quantized != null) {
      return (Expr<T>) quantized;
    }
    Shape shape = replaced(a.shape(), d, indices.shape());
    return gather(a, requireIndices("take", indices), shape, new Gather(d, false));
  }

  static <T> Expr<T> gather(Expr<T> source, Expr<?> indices, Shape shape, Gather gather) {
    return new Computed<>(gather, source.dtype(), shape, source, indices);
  }

  /** Elements in the order of a sort. */
  static <T> Expr<T> sorted(Expr<T> a, Shape shape, Sort sort) {
    return UnsignedOrder.isNeeded(a)
        ? UnsignedOrder.restored(a, new Computed<>(sort, I64.INSTANCE, shape, UnsignedOrder.of(a)))
        : new Computed<>(sort, a.dtype(), shape, a);
  }

  /** Positions in the order of a sort. */
  static Expr<I64> positions(Expr<?> a, Shape shape, Sort sort) {
    Expr<?> ordered = UnsignedOrder.isNeeded(a) ? UnsignedOrder.of(a) : a;
    return new Computed<>(sort, I64.INSTANCE, shape, ordered);
  }

  static <T> Expr<T> scatter(Shape shape, Scatter scatter, Expr<?> indices, Expr<T> values) {
    return new Computed<>(scatter, values.dtype(), shape, indices, values);
  }

  static <T> Expr<T> scatter(
      Shape shape, Scatter scatter, Expr<?> indices, Expr<T> values, Expr<T> initial) {
    return new Computed<>(scatter, values.dtype(), shape, indices, values, initial);
  }

  /** {@code shape} with axis {@code d} replaced by the axes of {@code by}. */
  static Shape replaced(Shape shape, int d, Shape by) {
    long[] dims = new long[shape.rank() - 1 + by.rank()];
    for (int k = 0; k < dims.length; k++) {
      dims[k] =
          k < d ? shape.at(k) : k < d + by.rank() ? by.at(k - d) : shape.at(k - by.rank() + 1);
    }
    return Shape.of(dims);
  }

  static <T> Expr<T> takeAlongAxis(Expr<T> a, Expr<?> indices, int axis) {
    requireIndices("takeAlongAxis", indices);
    int d = a.shape().axis(axis, "takeAlongAxis");
    long[] dims = a.shape().extents();
    boolean fits = indices.shape().rank() == dims.length;
    for (int k = 0; fits && k < dims.length; k++) {
      long i = indices.shape().at(k);
      fits = k == d || UnknownDims.canBroadcast(i, dims[k]);
      dims[k] = k == d || !fits ? i : UnknownDims.broadcast(i, dims[k]);
    }
    if (!fits) {
      throw new ShapeException(
          "[takeAlongAxis] shapes must broadcast except along axis %s; got a %s, indices %s."
              .formatted(d, a.label(), indices.label()));
    }
    long[] wide = dims.clone();
    wide[d] = a.shape().at(d);
    return gather(a.expand(wide), indices.expand(dims), Shape.of(dims), new Gather(d, true));
  }

  static <T> Expr<T> oneHot(DType<T> dtype, Expr<?> indices, long n) {
    requireIndices("oneHot", indices);
    Expr<I64> at = indices.cast(I64.INSTANCE).unsqueeze(-1);
    long[] dims = java.util.Arrays.copyOf(indices.shape().extents(), indices.shape().rank() + 1);
    dims[dims.length - 1] = n;
    Shape shape = Shape.of(dims);
    return ArrayManipulation.index(shape, dims.length - 1).eq(at).cast(dtype);
  }

  /** Combines values at indices along an axis with the operator's identity. */
  static <T> Expr<T> scatter(
      String name, Operator op, Shape shape, int axis, Expr<?> indices, Expr<T> values) {
    int d = shape.axis(axis, name);
    Expr<T> wide = scattered(name, shape, d, indices, values);
    if (values.dtype() == (Object) BOOL.INSTANCE) {
      throw new ShapeException(
          "[%s] values must be numbers; got %s; cast first.".formatted(name, values.label()));
    }
    var scatter = new Scatter(d, false, op);
    if (UnsignedOrder.isNeeded(values) && (op == Operator.MAX || op == Operator.MIN)) {
      return UnsignedOrder.restored(
          values, scatter(shape, scatter, indices, UnsignedOrder.of(wide)));
    }
    return scatter(shape, scatter, indices, wide);
  }

  /** Replaces elements of {@code initial} at indices along an axis. */
  static <T> Expr<T> assigned(Expr<T> initial, int axis, Expr<?> indices, Expr<T> values) {
    Shape shape = initial.shape();
    int d = shape.axis(axis, "assignAt");
    Apply.requireEqual("assignAt", initial, values);
    Expr<T> wide = scattered("assignAt", shape, d, indices, values);
    return scatter(shape, new Scatter(d, false, Operator.LAST), indices, wide, initial);
  }

  private static <T> Expr<T> scattered(
      String name, Shape shape, int axis, Expr<?> indices, Expr<T> values) {
    requireIndices(name, indices);
    Shape wanted = replaced(shape, axis, indices.shape());
    if (!values.shape().expandsTo(wanted)) {
      throw new ShapeException(
          ("[%s] values must broadcast to %s, the shape with axis %s replaced by the"
                  + " indices' axes; got values %s, indices %s, shape %s.")
              .formatted(name, wanted, axis, values.label(), indices.label(), shape));
    }
    return values.expand(wanted.extents());
  }

  static Expr<?> requireIndices(String op, Expr<?> indices) {
    if (indices.dtype() != (Object) I32.INSTANCE && indices.dtype() != (Object) I64.INSTANCE) {
      throw new ShapeException(
          "[%s] indices must be i32 or i64; got %s; cast them: i.cast(I64)."
              .formatted(op, indices.label()));
    }
    return indices;
  }

  static Shape top(Expr<?> a, int k, int axis) {
    int d = a.shape().axis(axis, "topK");
    if (k < 0 || UnknownDims.isKnown(a.shape().at(d)) && k > a.shape().at(d)) {
      throw new ShapeException(
          "[topK] k must lie between 0 and the extent of the axis; got %s for axis %s of %s."
              .formatted(k, d, a.label()));
    }
    long[] dims = a.shape().extents();
    dims[d] = k;
    return Shape.of(dims);
  }
}
