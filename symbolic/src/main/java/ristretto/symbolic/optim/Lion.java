package ristretto.symbolic.optim;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;

/** Lion (Chen et al., 2023), Algorithm 2; see {@link Optimizer#lion}. */
final class Lion extends Optimizer {
  private final double first;
  private final double second;
  private final double decay;

  Lion(Schedule rate, double first, double second, double decay) {
    super(rate, 1);
    this.first = first;
    this.second = second;
    this.decay = decay;
  }

  @Override
  Optimizer withDecay(double other) {
    return new Lion(schedule(), first, second, other);
  }

  @Override
  protected <T> List<Pair<?>> update(
      Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
    Tensor<T> m = kept.get(0);
    Expr<T> sign = Ops.sign(m.times(first).plus(g.times(1 - first)));
    Expr<T> move = decay == 0 ? sign : sign.plus(w.times(decay));
    return List.of(
        Pair.of(m, withoutTraces(m.times(second).plus(g.times(1 - second)))),
        Pair.of(w, w.minus(move.times(numbers.get(0)))));
  }
}
