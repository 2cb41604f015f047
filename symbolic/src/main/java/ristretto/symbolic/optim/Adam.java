package ristretto.symbolic.optim;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;

/**
 * Adam (Kingma and Ba, 2015) with decoupled weight decay (Loshchilov and Hutter, 2019); see {@link
 * Optimizer#adamW}.
 */
class Adam extends Optimizer {
  private final Settings settings;

  /**
   * Constants of the update.
   *
   * @param first decay of the running mean of gradients
   * @param second decay of the running mean of squared gradients
   * @param decoupled true if the decay of a group is decoupled too; otherwise, it is L2
   *     regularization
   */
  record Settings(double first, double second, double epsilon, double decay, boolean decoupled) {
    Settings withDecay(double other) {
      return new Settings(first, second, epsilon, other, decoupled);
    }
  }

  Adam(Schedule rate, Settings settings) {
    super(rate, 2);
    this.settings = settings;
  }

  final Settings settings() {
    return settings;
  }

  @Override
  Optimizer withDecay(double other) {
    return settings.decoupled
        ? new Adam(schedule(), settings.withDecay(other))
        : super.withDecay(other);
  }

  /** Returns the learning rate and the bias corrections of both moments. */
  @Override
  protected <T> List<Expr<T>> numbers(Expr<T> rate, Expr<T> step) {
    return List.of(rate, unbiasing(step, settings.first), unbiasing(step, settings.second));
  }

  private static <T> Expr<T> unbiasing(Expr<T> step, double decay) {
    Expr<T> power = Ops.exp2(step.times(Math.log(decay) / Math.log(2)));
    return Ops.reciprocal(power.neg().plus(1));
  }

  @Override
  protected <T> List<Pair<?>> update(
      Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
    double first = settings.first;
    double second = settings.second;
    Expr<T> m = withoutTraces(kept.get(0).times(first).plus(g.times(1 - first)));
    Expr<T> v = withoutTraces(kept.get(1).times(second).plus(g.times(g).times(1 - second)));
    Expr<T> unbiasedM = m.times(numbers.get(1));
    Expr<T> unbiasedV = v.times(numbers.get(2));
    Expr<T> move = unbiasedM.div(Ops.sqrt(unbiasedV).plus(settings.epsilon));
    Expr<T> all = settings.decay == 0 ? move : move.plus(w.times(settings.decay));
    return List.of(
        Pair.of(kept.get(0), m),
        Pair.of(kept.get(1), v),
        Pair.of(w, w.minus(scaled(w, all).times(numbers.get(0)))));
  }

  /** Returns the update of parameters before the learning rate. */
  <T> Expr<T> scaled(Tensor<T> w, Expr<T> move) {
    return move;
  }
}
