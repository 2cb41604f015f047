package ristretto.symbolic.optim;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;

/** LAMB (You et al., 2020), Algorithm 2; see {@link Optimizer#lamb}. */
final class Lamb extends Optimizer {
  private final double first;
  private final double second;
  private final double epsilon;
  private final double decay;

  Lamb(Schedule rate, double first, double second, double epsilon, double decay) {
    super(rate, 2);
    this.first = first;
    this.second = second;
    this.epsilon = epsilon;
    this.decay = decay;
  }

  @Override
  Optimizer withDecay(double other) {
    return new Lamb(schedule(), first, second, epsilon, other);
  }

  @Override
  public boolean isPerParameter() {
    return true;
  }

  /** Returns the learning rate and the bias corrections of both moments. */
  @Override
  protected <T> List<Expr<T>> numbers(Expr<T> rate, Expr<T> step) {
    return List.of(rate, unbiasing(step, first), unbiasing(step, second));
  }

  @Override
  protected <T> List<Pair<?>> update(
      Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
    Expr<T> m = withoutTraces(kept.get(0).times(first).plus(g.times(1 - first)));
    Expr<T> v = withoutTraces(kept.get(1).times(second).plus(g.times(g).times(1 - second)));
    Expr<T> adam = m.times(numbers.get(1)).div(Ops.sqrt(v.times(numbers.get(2))).plus(epsilon));
    Expr<T> move = decay == 0 ? adam : adam.plus(w.times(decay));
    Expr<T> ratio = norm(w).div(norm(move));
    Expr<T> trust = Ops.where(ratio.gt(0).and(Ops.isFinite(ratio)), ratio, 1);
    return List.of(
        Pair.of(kept.get(0), m),
        Pair.of(kept.get(1), v),
        Pair.of(w, w.minus(move.times(trust).times(numbers.get(0)))));
  }

  private static <T> Expr<T> norm(Expr<T> x) {
    return Ops.sqrt(Ops.sum(x.times(x)));
  }
}
