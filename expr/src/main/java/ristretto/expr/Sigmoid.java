package ristretto.expr;

import java.util.List;

/**
 * {@code 1 / (1 + exp(-a))}, computed of {@code e = exp(-|a|)}, which does not overflow: {@code e /
 * (1 + e)} for negative elements, so that results keep their digits down to the smallest number of
 * the dtype. Its derivative is said in its own terms: that of the code has a corner at 0.
 */
final class Sigmoid<T> extends RExpr<T> {
  private Sigmoid(Expr<T> a) {
    super(a.dtype(), a.shape(), a);
  }

  static <T> Expr<T> of(Expr<T> a) {
    ReductionOps.requireFloat("sigmoid", a);
    return new Sigmoid<>(a);
  }

  @Override
  protected Scalar read(Reads in) {
    Scalar a = in.input(0);
    Scalar one = a.constant(1);
    Scalar e = a.abs().neg().exp();
    return a.lt(a.constant(0)).select(e, one).div(one.plus(e));
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    Expr<T> one = Ops.fill(dtype(), 1, shape().toArray());
    return List.of(dy.times(times(one.minus(this))));
  }

  @Override
  public String toString() {
    return "sigmoid";
  }
}
