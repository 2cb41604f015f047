package ristretto.symbolic.optim;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;

/**
 * Optimizer with gradient clipping, weight decay, running means, a name, groups, a selection of
 * parameters or gradient accumulation added to another one.
 */
final class ModifiedOptimizer extends Optimizer {
  private static final double UNLIMITED = Double.POSITIVE_INFINITY;

  private final Optimizer base;
  private final double longest;
  private final double decay;
  private final double average;
  private final boolean named;
  private final UpdateScope scope;
  private final int accumulated;

  private ModifiedOptimizer(
      Optimizer base,
      String name,
      boolean named,
      UpdateScope scope,
      double longest,
      double decay,
      double average,
      int accumulated) {
    super(name, base.schedule(), base.states() + (average > 0 ? 1 : 0));
    this.base = base;
    this.named = named;
    this.scope = scope;
    this.longest = longest;
    this.decay = decay;
    this.average = average;
    this.accumulated = accumulated;
  }

  private static Optimizer of(Optimizer base, double longest, double decay, double average) {
    return new ModifiedOptimizer(
        base,
        base.name(),
        base.isNamed(),
        base.scope(),
        longest,
        decay,
        average,
        base.accumulated());
  }

  static Optimizer clipped(Optimizer base, double norm) {
    return of(base, norm, 0, 0);
  }

  static Optimizer decayed(Optimizer base, double decay) {
    return of(base, UNLIMITED, decay, 0);
  }

  static Optimizer averaged(Optimizer base, double average) {
    return of(base, UNLIMITED, 0, average);
  }

  static Optimizer named(Optimizer base, String name) {
    return new ModifiedOptimizer(
        base, name, true, base.scope(), UNLIMITED, 0, 0, base.accumulated());
  }

  static Optimizer scoped(Optimizer base, UpdateScope scope) {
    return new ModifiedOptimizer(
        base, base.name(), base.isNamed(), scope, UNLIMITED, 0, 0, base.accumulated());
  }

  static Optimizer accumulated(Optimizer base, int steps) {
    return new ModifiedOptimizer(
        base, base.name(), base.isNamed(), base.scope(), UNLIMITED, 0, 0, steps);
  }

  @Override
  public int accumulated() {
    return accumulated;
  }

  @Override
  public boolean isPerParameter() {
    return base.isPerParameter();
  }

  @Override
  UpdateScope scope() {
    return scope;
  }

  @Override
  Optimizer withDecay(double other) {
    return new ModifiedOptimizer(
        base.withDecay(other), name(), named, scope, longest, 0, average, accumulated);
  }

  @Override
  public boolean isNamed() {
    return named;
  }

  @Override
  public double longest() {
    return Math.min(longest, base.longest());
  }

  @Override
  public boolean isAveraging() {
    return average > 0 || base.isAveraging();
  }

  @Override
  public <T> Tensor<T> averages(List<Tensor<T>> kept) {
    return average > 0 ? kept.getLast() : base.averages(kept);
  }

  /** Returns the scalars of the base optimizer, then the step number. */
  @Override
  protected <T> List<Expr<T>> numbers(Expr<T> rate, Expr<T> step) {
    var all = new ArrayList<Expr<T>>(base.numbers(rate, step));
    all.add(step);
    return all;
  }

  @Override
  protected <T> List<Pair<?>> update(
      Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
    Expr<T> step = numbers.getLast();
    Expr<T> decayed = decay == 0 ? g : g.plus(w.times(decay));
    List<Pair<?>> pairs =
        new ArrayList<>(
            base.update(
                w,
                decayed,
                kept.subList(0, base.states()),
                numbers.subList(0, numbers.size() - 1)));
    if (average > 0) {
      Tensor<T> mean = kept.getLast();
      Expr<T> fresh = newValue(pairs, w);
      Expr<T> moved = mean.times(average).plus(fresh.times(1 - average));
      pairs.add(Pair.of(mean, Ops.where(step.le(1), fresh, moved)));
    }
    return pairs;
  }

  @SuppressWarnings("unchecked")
  private static <T> Expr<T> newValue(List<Pair<?>> pairs, Tensor<T> w) {
    for (Pair<?> p : pairs) {
      if (p.target() == w) {
        return (Expr<T>) p.expr();
      }
    }
    return w;
  }
}
