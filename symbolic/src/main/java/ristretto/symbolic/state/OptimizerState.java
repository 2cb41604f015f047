package ristretto.symbolic.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.optim.UpdateRules;

/** State of one optimizer in an executor, and its update. */
final class OptimizerState {
  /** Name in checkpoints, unique within the executor. */
  final String name;

  /** Number of updates so far. */
  final Tensor<I64> updates;

  /** Number of steps whose gradients have been accumulated since the last update. */
  final Tensor<I64> accumulated;

  /** Factor of the learning rates, 1 at first. */
  final Tensor<F32> rateFactor;

  /**
   * State tensors for the parameters, by dtype. The last one holds the sums of accumulated
   * gradients, if the optimizer accumulates.
   */
  final Map<DType<?>, List<Tensor<?>>> kept;

  /** True if the optimizer accumulates gradients. */
  final boolean accumulates;

  /** Names of the parameters that the optimizer has updated, before a checkpoint or since. */
  final Set<String> updatedNames = new HashSet<>();

  /**
   * Optimizer and the memory for the scalars of its update.
   *
   * @param rules update rules of the optimizer's groups
   * @param sound true if the update takes place: loss and gradients are finite
   * @param shares by dtype, 1 divided by the number of accumulated gradients; empty if the
   *     optimizer does not accumulate
   * @param scales factors of the gradients by dtype, for each norm
   * @param numbers scalars of the optimizer by dtype, for each rule
   */
  private record User(
      Optimizer optimizer,
      UpdateRules rules,
      Tensor<BOOL> sound,
      Map<DType<?>, Tensor<?>> shares,
      List<Map<DType<?>, Tensor<?>>> scales,
      List<Map<DType<?>, List<Tensor<?>>>> numbers) {
    @SuppressWarnings("unchecked")
    <T> Tensor<T> share(DType<T> dtype) {
      return (Tensor<T>) shares.get(dtype);
    }

    @SuppressWarnings("unchecked")
    <T> Tensor<T> scale(int norm, DType<T> dtype) {
      return (Tensor<T>) scales.get(norm).get(dtype);
    }

    @SuppressWarnings("unchecked")
    <T> List<Tensor<T>> numbers(int rule, DType<T> dtype) {
      return (List<Tensor<T>>) (List<?>) numbers.get(rule).get(dtype);
    }
  }

  /** Optimizer of this state; null for a restored state that no optimizer has taken over. */
  private User user;

  private OptimizerState(
      String name,
      Tensor<I64> updates,
      Tensor<I64> accumulated,
      Tensor<F32> rateFactor,
      Map<DType<?>, List<Tensor<?>>> kept,
      boolean accumulates) {
    this.name = name;
    this.updates = updates;
    this.accumulated = accumulated;
    this.rateFactor = rateFactor;
    this.kept = kept;
    this.accumulates = accumulates;
  }

  /** Returns this state under another name, used by no optimizer. */
  OptimizerState renamed(String other) {
    var renamed = new OptimizerState(other, updates, accumulated, rateFactor, kept, accumulates);
    renamed.updatedNames.addAll(updatedNames);
    return renamed;
  }

  /** Returns the state before the first update. */
  static OptimizerState zeros(
      Context ctx,
      String name,
      int count,
      boolean accumulates,
      Map<DType<?>, ParameterBuffer<?>> parameters) {
    var kept = new HashMap<DType<?>, List<Tensor<?>>>();
    parameters.forEach((dtype, flat) -> kept.put(dtype, flat.zeros(ctx, count)));
    return new OptimizerState(
        name, ctx.zeros(Ops.I64), ctx.zeros(Ops.I64), ctx.ones(Ops.F32), kept, accumulates);
  }

  /** Returns the number of state values for each parameter. */
  int count() {
    return kept.values().stream().mapToInt(List::size).max().orElse(0);
  }

  /** Returns the number of state values that an optimizer keeps for each parameter. */
  static int count(Optimizer optimizer) {
    return optimizer.states() + (optimizer.accumulates() ? 1 : 0);
  }

  /** Drops the gradients accumulated since the last update. */
  void forgetAccumulated(Context ctx) {
    if (accumulates) {
      ctx.assign(accumulated, Ops.fill(Ops.I64, 0));
    }
  }

  /** Returns true if an optimizer has taken over this state. */
  boolean isUsed() {
    return user != null;
  }

  /** Assigns an optimizer to this state and allocates the memory for its updates. */
  void use(Context ctx, Optimizer optimizer, UpdateRules rules) {
    var numbers = new ArrayList<Map<DType<?>, List<Tensor<?>>>>();
    for (UpdateRules.Rule rule : rules.rules()) {
      requireRate(ctx.eval(rate(rule)).item(), optimizer);
      var byType = new HashMap<DType<?>, List<Tensor<?>>>();
      for (DType<?> dtype : kept.keySet()) {
        var room = new ArrayList<Tensor<?>>();
        numbers(rule, dtype).forEach(_ -> room.add(ctx.zeros(dtype)));
        byType.put(dtype, room);
      }
      numbers.add(byType);
    }
    var scales = new ArrayList<Map<DType<?>, Tensor<?>>>();
    for (int k = 0; k < rules.norms().size(); k++) {
      var byType = new HashMap<DType<?>, Tensor<?>>();
      kept.keySet().forEach(dtype -> byType.put(dtype, ctx.zeros(dtype)));
      scales.add(byType);
    }
    var shares = new HashMap<DType<?>, Tensor<?>>();
    if (accumulates) {
      kept.keySet().forEach(dtype -> shares.put(dtype, ctx.ones(dtype)));
    }
    user = new User(optimizer, rules, ctx.zeros(Ops.BOOL), shares, scales, numbers);
  }

  /** Returns the update rules of the optimizer that uses this state. */
  UpdateRules rules() {
    return user.rules;
  }

  /**
   * Notes whether a step counts.
   *
   * @param sound false if the step must not change anything
   */
  void begin(Context ctx, Expr<BOOL> sound, Precision precision) {
    ctx.assign(user.sound, sound);
    if (precision.scales()) {
      precision.adapt(user.sound);
    }
  }

  /**
   * Adds the gradients of a step to the accumulated ones, after {@link #begin}.
   *
   * @param g gradients of a contiguous range of parameters
   * @param sum sum of the accumulated gradients of that range
   */
  <T> void accumulate(Context ctx, Tensor<T> g, Tensor<T> sum) {
    Expr<T> fresh = Ops.where(accumulated.eq(0), g, sum.plus(g));
    ctx.assign(sum, Ops.where(user.sound, fresh, sum));
  }

  /** Counts an accumulated step; the update takes place if it is the last one before an update. */
  void countAccumulated(Context ctx) {
    Expr<I64> next = Ops.where(user.sound, accumulated.plus(1), accumulated);
    Expr<BOOL> due = user.sound.and(next.ge(user.optimizer.accumulated()));
    kept.keySet().forEach(dtype -> assignShare(ctx, dtype, next));
    ctx.assignAll(Pair.of(user.sound, due), Pair.of(accumulated, Ops.where(due, 0, next)));
  }

  private <T> void assignShare(Context ctx, DType<T> dtype, Expr<I64> count) {
    ctx.assign(user.share(dtype), Ops.reciprocal(Ops.max(count, 1.0).cast(dtype)));
  }

  /** Returns the gradients that an update uses, of gradients or of sums of accumulated ones. */
  <T> Expr<T> mean(Tensor<T> g) {
    return accumulates ? g.times(user.share(g.dtype())) : g;
  }

  /**
   * Computes the values of an update that all parameters share, and counts the update; one kernel,
   * besides the norms of the gradient.
   *
   * @param squares sums of squares of the gradients of each norm
   */
  void prepare(Context ctx, List<Expr<F64>> squares) {
    for (int k = 0; k < squares.size(); k++) {
      double longest = user.rules.norms().get(k);
      Expr<F64> scale = Ops.min(Ops.rsqrt(squares.get(k)).times(longest), 1.0);
      for (DType<?> dtype : kept.keySet()) {
        assignCast(ctx, user.scale(k, dtype), scale);
      }
    }
    for (int k = 0; k < user.rules.rules().size(); k++) {
      for (DType<?> dtype : kept.keySet()) {
        assignNumbers(ctx, k, dtype);
      }
    }
    ctx.assign(updates, Ops.where(user.sound, updates.plus(1), updates));
  }

  private static <T> void assignCast(Context ctx, Tensor<T> to, Expr<F64> value) {
    ctx.assign(to, value.cast(to.dtype()));
  }

  private <T> void assignNumbers(Context ctx, int rule, DType<T> dtype) {
    List<Expr<T>> numbers = numbers(user.rules.rules().get(rule), dtype);
    for (int k = 0; k < numbers.size(); k++) {
      ctx.assign(user.<T>numbers(rule, dtype).get(k), numbers.get(k));
    }
  }

  private <T> List<Expr<T>> numbers(UpdateRules.Rule rule, DType<T> dtype) {
    return rule.formula().scalars(rate(rule).cast(dtype), updates.plus(1).cast(dtype));
  }

  /** Returns the learning rate of the next update. */
  private Expr<F32> rate(UpdateRules.Rule rule) {
    return rule.rate().rate(updates.cast(Ops.F32)).times(rateFactor);
  }

  private void requireRate(double rate, Optimizer optimizer) {
    if (!(rate >= 0 && rate < Double.POSITIVE_INFINITY)) {
      throw new ShapeException(
          ("[optimizer] a schedule must yield finite rates of at least 0; got %s for update %s"
                  + " of %s; correct its formula.")
              .formatted(rate, (long) updates.item(), optimizer.name()));
    }
  }

  /**
   * Updates a contiguous range of parameters, after {@link #prepare}.
   *
   * @param number number of the update rule
   * @param w the parameters
   * @param gradients their gradients, or the sums of accumulated ones
   * @param kept their optimizer state
   */
  <T> void update(Context ctx, int number, Tensor<T> w, Tensor<T> gradients, List<Tensor<T>> kept) {
    UpdateRules.Rule rule = user.rules.rules().get(number);
    boolean clips = rule.norm() != UpdateRules.UNCLIPPED;
    Expr<T> g = mean(gradients);
    Expr<T> clipped = clips ? g.times(user.scale(rule.norm(), w.dtype())) : g;
    List<Expr<T>> numbers = List.copyOf(user.<T>numbers(number, w.dtype()));
    List<Pair<?>> pairs = new ArrayList<>();
    for (Pair<?> pair : rule.formula().newValues(w, clipped, kept, numbers)) {
      pairs.add(guarded(pair, user.sound));
    }
    if (pairs.stream().allMatch(pair -> pair.target().shape().equals(w.shape()))) {
      ctx.assignAll(pairs.toArray(Pair[]::new));
    } else {
      // Targets of several shapes take several kernels: all values first, then the assignments.
      List<Pair<?>> computed = new ArrayList<>();
      pairs.forEach(pair -> computed.add(computed(ctx, pair)));
      computed.forEach(pair -> assign(ctx, pair));
    }
  }

  private static <T> Pair<T> computed(Context ctx, Pair<T> pair) {
    return Pair.of(pair.target(), ctx.eval(pair.expr()));
  }

  private static <T> void assign(Context ctx, Pair<T> pair) {
    ctx.assign(pair.target(), pair.expr());
  }

  private static <T> Pair<T> guarded(Pair<T> pair, Expr<BOOL> sound) {
    return Pair.of(pair.target(), Ops.where(sound, pair.expr(), pair.target()));
  }
}
