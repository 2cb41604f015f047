package ristretto.expr;

import java.util.List;
import ristretto.kernels.scalar.Op;

/** Logistic sigmoid {@code 1 / (1 + exp(-a))}, with {@link SigmoidSlope} as its derivative. */
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
    return in.input(0).apply(Op.SIGMOID);
  }

  @Override
  @SuppressWarnings("unchecked")
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return List.of(dy.times(new SigmoidSlope<>(this, (Expr<T>) inputs().get(0))));
  }

  @Override
  public String toString() {
    return "sigmoid";
  }
}
