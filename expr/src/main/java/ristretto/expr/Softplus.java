package ristretto.expr;

import java.util.List;
import ristretto.kernels.scalar.Op;

/**
 * Softplus {@code log(1 + exp(a))} without overflow. Its derivative is the sigmoid; automatic
 * differentiation would give 0 at 0, where the terms of the formula have kinks.
 */
final class Softplus<T> extends RExpr<T> {
  private Softplus(Expr<T> a) {
    super(a.dtype(), a.shape(), a);
  }

  static <T> Expr<T> of(Expr<T> a) {
    ReductionOps.requireFloat("softplus", a);
    return new Softplus<>(a);
  }

  @Override
  protected Scalar read(Reads in) {
    Scalar a = in.input(0);
    return a.max(a.constant(0)).plus(a.abs().neg().exp().apply(Op.LOG1P));
  }

  @Override
  @SuppressWarnings("unchecked")
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return List.of(dy.times(Sigmoid.of((Expr<T>) inputs().get(0))));
  }

  @Override
  public String toString() {
    return "softplus";
  }
}
