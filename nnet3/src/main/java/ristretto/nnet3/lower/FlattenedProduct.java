package ristretto.nnet3.lower;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;

import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.step.BackwardStep;

/** Matrix products of values, with rows and sequences flattened to one dimension. */
final class FlattenedProduct {
  private FlattenedProduct() {}

  /**
   * Returns the derivative of a piece of a product's input: {@code dy[rows, sequences, k], w[k, d]
   * -> [rows * sequences, columns of the piece]}.
   */
  static Expr<F32> of(Expr<F32> dy, Tensor<F32> w, BackwardStep.Piece piece) {
    return dot(rows(dy), w.slice(all(), range(piece.from(), piece.to())));
  }

  static Tensor<F32> rows(Tensor<F32> x) {
    return (Tensor<F32>) rows((Expr<F32>) x);
  }

  private static Expr<F32> rows(Expr<F32> x) {
    return x.reshape(x.shape().dim(0) * x.shape().dim(1), x.shape().dim(2));
  }
}
