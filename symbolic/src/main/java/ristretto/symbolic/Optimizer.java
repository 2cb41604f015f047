package ristretto.symbolic;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;

/**
 * How parameters follow their gradients. All parameters of a model lie in one piece of memory, so
 * an update is one kernel, however many there are.
 */
public abstract class Optimizer {
  private final Schedule schedule;
  private final int states;

  /**
   * @param states numbers kept for each parameter
   */
  protected Optimizer(Schedule schedule, int states) {
    this.schedule = schedule;
    this.states = states;
  }

  final Schedule schedule() {
    return schedule;
  }

  final int states() {
    return states;
  }

  /**
   * New values of the parameters and of what is kept for them.
   *
   * @param w the parameters
   * @param g their gradients
   * @param kept zeros before the first step
   * @param rate of this step
   * @param step number of this step, from 1
   */
  protected abstract <T> List<Pair<?>> update(
      Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, Expr<T> rate, Expr<T> step);

  /** Gradient descent. */
  public static Optimizer sgd(Schedule rate) {
    return new Optimizer(rate, 0) {
      @Override
      protected <T> List<Pair<?>> update(
          Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, Expr<T> rate, Expr<T> step) {
        return List.of(Pair.of(w, w.minus(g.times(rate))));
      }
    };
  }

  /** Gradient descent at a constant rate. */
  public static Optimizer sgd(double rate) {
    return sgd(Schedule.constant(rate));
  }

  /**
   * Gradient descent with momentum: {@code v = momentum v + g; w -= rate v}; Nesterov's form steps
   * by {@code g + momentum v}.
   */
  public static Optimizer momentum(Schedule rate, double momentum, boolean nesterov) {
    return new Optimizer(rate, 1) {
      @Override
      protected <T> List<Pair<?>> update(
          Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, Expr<T> rate, Expr<T> step) {
        Expr<T> v = kept.get(0).times(momentum).plus(g);
        Expr<T> move = nesterov ? v.times(momentum).plus(g) : v;
        return List.of(Pair.of(kept.get(0), v), Pair.of(w, w.minus(move.times(rate))));
      }
    };
  }

  /** {@code a = decay a + (1 - decay) g^2; w -= rate g / (sqrt(a) + epsilon)}. */
  public static Optimizer rmsProp(Schedule rate, double decay, double epsilon) {
    return new Optimizer(rate, 1) {
      @Override
      protected <T> List<Pair<?>> update(
          Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, Expr<T> rate, Expr<T> step) {
        Expr<T> a = kept.get(0).times(decay).plus(g.times(g).times(1 - decay));
        Expr<T> move = g.times(rate).div(Ops.sqrt(a).plus(epsilon));
        return List.of(Pair.of(kept.get(0), a), Pair.of(w, w.minus(move)));
      }
    };
  }

  /** {@code a += g^2; w -= rate g / (sqrt(a) + epsilon)} (Duchi et al., 2011). */
  public static Optimizer adagrad(Schedule rate, double epsilon) {
    return new Optimizer(rate, 1) {
      @Override
      protected <T> List<Pair<?>> update(
          Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, Expr<T> rate, Expr<T> step) {
        Expr<T> a = kept.get(0).plus(g.times(g));
        Expr<T> move = g.times(rate).div(Ops.sqrt(a).plus(epsilon));
        return List.of(Pair.of(kept.get(0), a), Pair.of(w, w.minus(move)));
      }
    };
  }

  /** Adam (Kingma and Ba, 2015) with its usual constants 0.9, 0.999 and 1e-8. */
  public static Optimizer adam(double rate) {
    return adamW(Schedule.constant(rate), 0.9, 0.999, 1e-8, 0);
  }

  /** Adam with decoupled weight decay (Loshchilov and Hutter, 2019); without it, Adam. */
  public static Optimizer adamW(
      Schedule rate, double first, double second, double epsilon, double decay) {
    return new Optimizer(rate, 2) {
      @Override
      protected <T> List<Pair<?>> update(
          Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, Expr<T> rate, Expr<T> step) {
        Expr<T> m = kept.get(0).times(first).plus(g.times(1 - first));
        Expr<T> v = kept.get(1).times(second).plus(g.times(g).times(1 - second));
        Expr<T> unbiasedM = m.div(power(step, first).neg().plus(1));
        Expr<T> unbiasedV = v.div(power(step, second).neg().plus(1));
        Expr<T> move = unbiasedM.div(Ops.sqrt(unbiasedV).plus(epsilon));
        Expr<T> all = decay == 0 ? move : move.plus(w.times(decay));
        return List.of(
            Pair.of(kept.get(0), m), Pair.of(kept.get(1), v), Pair.of(w, w.minus(all.times(rate))));
      }
    };
  }

  private static <T> Expr<T> power(Expr<T> exponent, double base) {
    return Ops.exp2(exponent.times(Math.log(base) / Math.log(2)));
  }
}
