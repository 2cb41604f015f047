package ristretto.nnet3.compile;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;

import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.nnet3.forward.Backward;

/** Products with a row for each place and sequence. */
final class RowProduct {
  private RowProduct() {}

  /** What a product's derivative adds to that of some columns of what it reads. */
  static Expr<F32> of(Expr<F32> dy, Tensor<F32> w, Backward.Piece piece) {
    return dot(rows(dy), w.slice(all(), range(piece.from(), piece.to())));
  }

  static Tensor<F32> rows(Tensor<F32> x) {
    return (Tensor<F32>) rows((Expr<F32>) x);
  }

  private static Expr<F32> rows(Expr<F32> x) {
    return x.reshape(x.shape().dim(0) * x.shape().dim(1), x.shape().dim(2));
  }
}
