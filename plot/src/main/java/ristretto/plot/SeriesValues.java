package ristretto.plot;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I64;

import java.util.Arrays;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/** Elements of tensors and expressions of any dtype as doubles. */
final class SeriesValues {
  /** Limit of elements, since a plot has no more pixels. */
  private static final long MOST = 1 << 28;

  private SeriesValues() {}

  static double[] of(String op, Expr<?> e) {
    if (e.shape().size() > MOST) {
      throw new ShapeException(
          "[%s] a plot must have at most %s elements; got %s; slice it."
              .formatted(op, MOST, e.label()));
    }
    Tensor<?> t = e instanceof Tensor<?> given ? given : e.eval();
    if (t.dtype() == (Object) F64) {
      return t.toDoubleArray();
    }
    if (t.dtype().isFloat()) {
      float[] floats = t.context().eval(t.cast(F32)).toFloatArray();
      return IntStream.range(0, floats.length).mapToDouble(k -> floats[k]).toArray();
    }
    return Arrays.stream(t.context().eval(t.cast(I64)).toLongArray()).asDoubleStream().toArray();
  }

  /** Elements of a vector. */
  static double[] vector(String op, String name, Expr<?> e) {
    if (e.shape().rank() != 1 || e.shape().size() == 0) {
      throw new ShapeException(
          "[%s] %s must be a vector with elements; got %s; reshape or slice it."
              .formatted(op, name, e.label()));
    }
    return of(op, e);
  }

  static void requireEqual(String op, Expr<?> x, Expr<?> y) {
    if (!x.shape().equals(y.shape())) {
      throw new ShapeException(
          "[%s] x and y must have the same length; got x %s, y %s."
              .formatted(op, x.label(), y.label()));
    }
  }

  static void requireMatrix(String op, Expr<?> a) {
    if (a.shape().rank() != 2 || a.shape().size() == 0) {
      throw new ShapeException(
          "[%s] the values must be a matrix with elements; got %s; reshape or slice it."
              .formatted(op, a.label()));
    }
  }
}
