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
  /** Place of the decay of the first moment among the scalars, if the schedule determines it. */
  private static final int FIRST = 3;

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

  /**
   * Returns the learning rate and the bias corrections of both moments, then the decay of the first
   * moment if the schedule determines it.
   */
  @Override
  protected <T> List<Expr<T>> numbers(Expr<T> rate, Expr<T> step) {
    Expr<T> second = unbiasing(step, settings.second);
    return scheduledMomentum(step)
        .map(first -> List.of(rate, unbiasing(step, first), second, first))
        .orElseGet(() -> List.of(rate, unbiasing(step, settings.first), second));
  }

  /** Returns the bias correction of PyTorch, as if the decay had been the same in all steps. */
  private static <T> Expr<T> unbiasing(Expr<T> step, Expr<T> decay) {
    return Ops.reciprocal(Ops.pow(decay, step).neg().plus(1));
  }

  private static <T> Expr<T> unbiasing(Expr<T> step, double decay) {
    Expr<T> power = Ops.exp2(step.times(Math.log(decay) / Math.log(2)));
    return Ops.reciprocal(power.neg().plus(1));
  }

  @Override
  protected <T> List<Pair<?>> update(
      Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
    double second = settings.second;
    Expr<T> m = withoutTraces(mean(kept.get(0), g, numbers));
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

  /** Returns the running mean of gradients. */
  private <T> Expr<T> mean(Expr<T> before, Expr<T> g, List<Expr<T>> numbers) {
    if (numbers.size() > FIRST) {
      Expr<T> first = numbers.get(FIRST);
      return before.times(first).plus(g.times(first.neg().plus(1)));
    }
    return before.times(settings.first).plus(g.times(1 - settings.first));
  }

  /** Returns the update of parameters before the learning rate. */
  <T> Expr<T> scaled(Tensor<T> w, Expr<T> move) {
    return move;
  }
}
