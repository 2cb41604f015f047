package ristretto.symbolic.optim;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;

/** LAMB (You et al., 2020), Algorithm 2; see {@link Optimizer#lamb}. */
final class Lamb extends Adam {
  Lamb(Schedule rate, Settings settings) {
    super(rate, settings);
  }

  @Override
  Optimizer withDecay(double other) {
    return new Lamb(schedule(), settings().withDecay(other));
  }

  @Override
  public boolean isPerParameter() {
    return true;
  }

  /** Scales the update to the norm of the parameter. */
  @Override
  <T> Expr<T> scaled(Tensor<T> w, Expr<T> move) {
    Expr<T> ratio = norm(w).div(norm(move));
    return move.times(Ops.where(ratio.gt(0).and(Ops.isFinite(ratio)), ratio, 1));
  }

  private static <T> Expr<T> norm(Expr<T> x) {
    return Ops.sqrt(Ops.sum(x.times(x)));
  }
}
