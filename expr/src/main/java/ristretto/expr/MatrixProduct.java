package ristretto.expr;

import java.util.Arrays;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.graph.Barrier.Dot;
import ristretto.expr.graph.Barrier.IntegerDot;
import ristretto.expr.graph.Term;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Reduces matrix products of any rank and dtype to {@link Dot} and {@link IntegerDot}. */
final class MatrixProduct {
  private MatrixProduct() {}

  static <T> Expr<T> dot(Expr<T> a, Expr<T> b) {
    Apply.requireEqual("dot", a, b);
    if (a.dtype() == (Object) BOOL.INSTANCE) {
      throw new ShapeException(
          "[dot] operands must be numbers; got " + a.label() + "; cast first.");
    }
    int ra = a.shape().rank();
    int rb = b.shape().rank();
    if (ra == 0 || rb == 0) {
      throw new ShapeException(
          "[dot] operands must have an axis; got a %s, b %s; use times for scalars."
              .formatted(a.label(), b.label()));
    }
    long k = a.shape().at(ra - 1);
    long kb = b.shape().at(rb == 1 ? 0 : rb - 2);
    if (!UnknownDims.canEqual(k, kb)) {
      throw new ShapeException(
          "[dot] inner extents must be equal; got a %s, b %s; %s vs %s. Transpose one of them?"
              .formatted(a.label(), b.label(), k, kb));
    }
    UnknownDims.equal(k, kb);
    Expr<T> left = ra == 1 ? a.unsqueeze(0) : a;
    Expr<T> right = rb == 1 ? b.unsqueeze(1) : b;
    Expr<T> product = matrices(left, right);
    long[] dims = product.shape().extents();
    if (rb == 1) {
      dims = Arrays.copyOf(dims, dims.length - 1);
    }
    if (ra == 1) {
      int at = dims.length - (rb == 1 ? 1 : 2);
      long[] without = new long[dims.length - 1];
      for (int d = 0; d < without.length; d++) {
        without[d] = dims[d < at ? d : d + 1];
      }
      dims = without;
    }
    return ra == 1 || rb == 1 ? product.reshape(dims) : product;
  }

  @SuppressWarnings("unchecked")
  private static <T> Expr<T> matrices(Expr<T> a, Expr<T> b) {
    Expr<F32> quantized = QuantizedTensor.product(a, b);
    if (quantized != null) {
      return (Expr<T>) quantized;
    }
    int ra = a.shape().rank();
    int rb = b.shape().rank();
    Shape batch =
        Shape.broadcast(
            Shape.of(Arrays.copyOf(a.shape().extents(), ra - 2)),
            Shape.of(Arrays.copyOf(b.shape().extents(), rb - 2)));
    if (batch == null) {
      throw new ShapeException(
          "[dot] leading axes must broadcast; got a %s, b %s. Reshape one of them."
              .formatted(a.label(), b.label()));
    }
    long[] dims = Arrays.copyOf(batch.extents(), batch.rank() + 2);
    dims[dims.length - 2] = a.shape().at(ra - 2);
    dims[dims.length - 1] = b.shape().at(rb - 1);
    Shape shape = Shape.of(dims);
    return switch (a.dtype().scalar()) {
      case F32, F64 -> multiply(shape, a, b);
      case F16, BF16 -> matrices(a.cast(F32.INSTANCE), b.cast(F32.INSTANCE)).cast(a.dtype());
      case I32, U32, I64, U64 ->
          new Computed<>(new IntegerDot(MatrixProduct::sum), a.dtype(), shape, a, b);
      // A cast to a narrow type wraps, as the sum of its elements does.
      case I8, U8, I16, U16 -> matrices(a.cast(I32.INSTANCE), b.cast(I32.INSTANCE)).cast(a.dtype());
      case BOOL -> throw new AssertionError(a.dtype());
    };
  }

  private static Term sum(Term product) {
    return sum((Expr<?>) product.operand(0), (Expr<?>) product.operand(1));
  }

  @SuppressWarnings("unchecked")
  private static <T> Expr<T> sum(Expr<T> a, Expr<?> b) {
    Expr<T> right = ((Expr<T>) b).swapAxes(-1, -2).unsqueeze(-3);
    return Reductions.sum(a.unsqueeze(-2).times(right), -1);
  }

  /**
   * Multiplies matrices; if b is a single matrix, the batches of a are merged into one tall matrix.
   */
  private static <T> Expr<T> multiply(Shape shape, Expr<T> a, Expr<T> b) {
    int rank = a.shape().rank();
    if (rank > 2 && b.shape().rank() == 2) {
      long k = a.shape().at(rank - 1);
      if (k != 0) {
        Expr<T> tall = a.reshape(-1, k);
        Shape flat = Shape.of(tall.shape().at(0), b.shape().at(1));
        return product(flat, tall, b).reshape(shape.extents());
      }
    }
    return product(shape, a, b);
  }

  private static <T> Expr<T> product(Shape shape, Expr<T> a, Expr<T> b) {
    return new Computed<>(new Dot(), a.dtype(), shape, a, b);
  }
}
