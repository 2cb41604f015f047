package ristretto.expr.linalg;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;

/** Expressions of matrices that gradients are made of. */
final class Matrices {
  private Matrices() {}

  /** Transposes of a batch of matrices. */
  static <T> Expr<T> transposed(Expr<T> a) {
    return a.swapAxes(-1, -2);
  }

  static <T> Expr<T> dot(Expr<T> a, Expr<T> b) {
    return Ops.dot(a, b);
  }

  static <T> Expr<T> dot(Expr<T> a, Expr<T> b, Expr<T> c) {
    return Ops.dot(Ops.dot(a, b), c);
  }

  /** Half of the sum of a matrix and its transpose. */
  static <T> Expr<T> symmetric(Expr<T> a) {
    return a.plus(transposed(a)).times(0.5);
  }

  static <T> Expr<T> identity(DType<T> dtype, long n) {
    Shape shape = Shape.of(n, n);
    return Ops.coordinate(shape, 0).eq(Ops.coordinate(shape, 1)).cast(dtype);
  }

  /** Multiplies row k of matrices by element k of vectors. */
  static <T> Expr<T> scaleRows(Expr<T> v, Expr<T> a) {
    return v.unsqueeze(-1).times(a);
  }

  /** Multiplies column k of matrices by element k of vectors. */
  static <T> Expr<T> scaleColumns(Expr<T> a, Expr<T> v) {
    return a.times(v.unsqueeze(-2));
  }

  /**
   * Matrix of {@code 1 / (w[j] - w[i])} with a diagonal of zeros; infinite where values coincide.
   */
  static <T> Expr<T> inverseDifferences(Expr<T> w) {
    Expr<T> eye = identity(w.dtype(), w.shape().dim(-1));
    Expr<T> differences = w.unsqueeze(-2).minus(w.unsqueeze(-1));
    // The diagonal is 1, so that no derivative of it is NaN.
    return eye.neg().plus(1).div(differences.plus(eye));
  }

  /** Part of packed results, as a view. */
  static <T> Expr<T> part(Expr<T> packed, long from, Shape batch, long... dims) {
    long size = 1;
    for (long d : dims) {
      size *= d;
    }
    return last(packed, from, from + size).reshape(Shapes.with(batch, dims).toArray());
  }

  /** Elements of the last axis. */
  static <T> Expr<T> last(Expr<T> a, long from, long to) {
    Slice[] slices = new Slice[a.shape().rank()];
    Arrays.fill(slices, Slice.all());
    slices[slices.length - 1] = Slice.range(from, to);
    return a.slice(slices);
  }

  /** Elements of the last but one axis. */
  static <T> Expr<T> rows(Expr<T> a, long from, long to) {
    return transposed(last(transposed(a), from, to));
  }

  /** Result that depends on one operand, with its gradient. */
  static <T> Expr<T> of(Expr<T> values, Expr<T> operand, Function<Expr<T>, Expr<T>> gradient) {
    return Gradients.custom(values, () -> List.of(operand), (dy, _) -> List.of(gradient.apply(dy)));
  }

  /** Result without a derivative. */
  static <T> Expr<T> noGradient(Expr<T> values, Expr<T> operand, String what) {
    return Gradients.custom(
        values,
        () -> List.of(operand),
        (_, _) -> {
          throw new ShapeException(
              "[gradient] %s have no derivative; got a of %s; stop there with stopGradient."
                  .formatted(what, operand.label()));
        });
  }
}
