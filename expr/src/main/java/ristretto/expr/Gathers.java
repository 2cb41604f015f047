package ristretto.expr;

import ristretto.kernels.ShapeException;

/** Checks the arguments of gathers and scatters. */
final class Gathers {
  private Gathers() {}

  static <T> Expr<T> take(Expr<T> a, Expr<?> indices, int axis) {
    int d = a.shape().axis(axis, "take");
    return new Gather<>(
        a, requireIndices("take", indices), replaced(a.shape(), d, indices.shape()), d, false);
  }

  /** {@code shape} with axis {@code d} replaced by the axes of {@code by}. */
  private static Shape replaced(Shape shape, int d, Shape by) {
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
    long[] dims = a.shape().toArray();
    boolean fits = indices.shape().rank() == dims.length;
    for (int k = 0; fits && k < dims.length; k++) {
      long i = indices.shape().at(k);
      fits = k == d || i == dims[k] || i == 1 || dims[k] == 1;
      dims[k] = k == d ? i : Math.max(i == 1 ? dims[k] : i, dims[k] == 1 ? i : dims[k]);
    }
    if (!fits) {
      throw new ShapeException(
          "[takeAlongAxis] shapes must broadcast off axis "
              + d
              + "; got a "
              + a.label()
              + ", indices "
              + indices.label()
              + ".");
    }
    long[] wide = dims.clone();
    wide[d] = a.shape().at(d);
    return new Gather<>(a.expand(wide), indices.expand(dims), Shape.of(dims), d, true);
  }

  static <T> Expr<T> oneHot(DType<T> dtype, Expr<?> indices, long n) {
    requireIndices("oneHot", indices);
    Expr<I64> at = indices.cast(I64.INSTANCE).unsqueeze(-1);
    long[] dims = java.util.Arrays.copyOf(indices.shape().toArray(), indices.shape().rank() + 1);
    dims[dims.length - 1] = n;
    Shape shape = Shape.of(dims);
    return new Index(shape, dims.length - 1).eq(at).cast(dtype);
  }

  static <T> Expr<T> scatterAdd(Shape shape, int axis, Expr<?> indices, Expr<T> values) {
    requireIndices("scatterAdd", indices);
    int d = shape.axis(axis, "scatterAdd");
    Shape wanted = replaced(shape, d, indices.shape());
    if (!values.shape().expandsTo(wanted)) {
      throw new ShapeException(
          "[scatterAdd] values must broadcast to "
              + wanted
              + ", the shape with axis "
              + d
              + " replaced by the indices' axes; got values "
              + values.label()
              + ", indices "
              + indices.label()
              + ", shape "
              + shape
              + ".");
    }
    if (values.dtype() == (Object) BOOL.INSTANCE) {
      throw new ShapeException(
          "[scatterAdd] values must be numbers; got " + values.label() + "; cast first.");
    }
    return new Scatter<>(shape, d, false, indices, values.expand(wanted.toArray()));
  }

  private static Expr<?> requireIndices(String op, Expr<?> indices) {
    if (indices.dtype() != (Object) I32.INSTANCE && indices.dtype() != (Object) I64.INSTANCE) {
      throw new ShapeException(
          "["
              + op
              + "] indices must be i32 or i64; got "
              + indices.label()
              + "; cast them: i.cast(I64).");
    }
    return indices;
  }

  static Shape top(Expr<?> a, int k, int axis) {
    int d = a.shape().axis(axis, "topK");
    if (k < 0 || k > a.shape().at(d)) {
      throw new ShapeException(
          "[topK] k must lie between 0 and the extent of the axis; got "
              + k
              + " for axis "
              + d
              + " of "
              + a.label()
              + ".");
    }
    long[] dims = a.shape().toArray();
    dims[d] = k;
    return Shape.of(dims);
  }
}
