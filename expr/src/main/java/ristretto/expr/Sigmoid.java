package ristretto.expr;

import java.util.List;

/**
 * {@code 1 / (1 + exp(-a))}. Its derivative is said in its own terms: derived from the code it
 * would be a product of 0 and infinity where the exponential overflows.
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
    return one.div(one.plus(a.neg().exp()));
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
