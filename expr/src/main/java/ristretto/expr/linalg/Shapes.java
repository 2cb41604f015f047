package ristretto.expr.linalg;

import java.util.Arrays;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Shapes of batches of matrices, with the rules that operands must fulfil. */
final class Shapes {
  private Shapes() {}

  /** Axes of a batch, followed by others. */
  static Shape with(Shape batch, long... dims) {
    long[] all = Arrays.copyOf(batch.toArray(), batch.rank() + dims.length);
    System.arraycopy(dims, 0, all, batch.rank(), dims.length);
    return Shape.of(all);
  }

  /** Leading axes of a batch of matrices. */
  static Shape batch(Expr<?> a) {
    return Shape.of(Arrays.copyOf(a.shape().toArray(), a.shape().rank() - 2));
  }

  /** Leading axes that those of two batches broadcast to. */
  static Shape batch(String op, Expr<?> a, Expr<?> b) {
    Shape batch = Shape.broadcast(batch(a), batch(b));
    if (batch == null) {
      throw new ShapeException(
          "[%s] leading axes must broadcast; got a %s, b %s; reshape one of them."
              .formatted(op, a.label(), b.label()));
    }
    return batch;
  }

  /** Number of leading axes. */
  static int rank(Expr<?> a) {
    return a.shape().rank() - 2;
  }

  static int rows(Expr<?> a) {
    return extent(a, -2);
  }

  static int columns(Expr<?> a) {
    return extent(a, -1);
  }

  private static int extent(Expr<?> a, int axis) {
    long extent = a.shape().dim(axis);
    if (extent > Integer.MAX_VALUE) {
      throw new ShapeException(
          "[linalg] a matrix must have less than 2^31 rows and columns; got "
              + a.label()
              + "; split it.");
    }
    return (int) extent;
  }

  static void requireMatrix(String op, Expr<?> a) {
    requireReal(op, a);
    if (a.shape().rank() < 2) {
      throw new ShapeException(
          "[%s] a must be a matrix or a batch of matrices; got %s; reshape it."
              .formatted(op, a.label()));
    }
  }

  static void requireSquare(String op, Expr<?> a) {
    requireMatrix(op, a);
    if (rows(a) != columns(a)) {
      throw new ShapeException(
          "[%s] matrices must be square; got %s; use lstsq, pinv, qr or svd for others."
              .formatted(op, a.label()));
    }
  }

  static void requireReal(String op, Expr<?> a) {
    if (a.dtype() != (Object) F32.INSTANCE && a.dtype() != (Object) F64.INSTANCE) {
      throw new ShapeException(
          "[%s] operands must be F32 or F64; got %s; cast first, as in a.cast(F64)."
              .formatted(op, a.label()));
    }
  }

  /** Right side as a matrix; a vector becomes a column. */
  static <T> Expr<T> rightSide(String op, Expr<T> a, Expr<T> b) {
    requireReal(op, b);
    Expr<T> matrix = b.shape().rank() == 1 ? b.unsqueeze(1) : b;
    if (b.dtype() != (Object) a.dtype()) {
      throw new ShapeException(
          "[%s] dtypes must be equal; got a %s, b %s; cast one of them."
              .formatted(op, a.label(), b.label()));
    }
    if (matrix.shape().rank() < 2 || matrix.shape().dim(-2) != rows(a)) {
      throw new ShapeException(
          "[%s] b must have as many rows as a; got a %s, b %s; reshape b."
              .formatted(op, a.label(), b.label()));
    }
    return matrix;
  }

  /** Result for a right side that was a vector or a matrix. */
  static <T> Expr<T> likeRightSide(Expr<T> x, Expr<T> b) {
    return b.shape().rank() == 1 ? x.squeeze(-1) : x;
  }
}
