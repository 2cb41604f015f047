package ristretto.symbolic.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

/** State of one optimizer in an executor, and its update. */
final class OptimizerState {
  /** Name in checkpoints, unique within the executor. */
  final String name;

  /** Number of updates so far. */
  final Tensor<I64> updates;

  /** State tensors for the parameters, by dtype. */
  final Map<DType<?>, List<Tensor<?>>> kept;

  /**
   * Optimizer and the memory for the scalars of its update.
   *
   * @param sound true if the update takes place: loss and gradients are finite
   * @param scale factor of the gradients, by dtype
   * @param numbers scalars of the optimizer, by dtype
   */
  private record User(
      Optimizer optimizer,
      Tensor<BOOL> sound,
      Map<DType<?>, Tensor<?>> scale,
      Map<DType<?>, List<Tensor<?>>> numbers) {
    @SuppressWarnings("unchecked")
    <T> Tensor<T> scale(DType<T> dtype) {
      return (Tensor<T>) scale.get(dtype);
    }

    @SuppressWarnings("unchecked")
    <T> List<Tensor<T>> numbers(DType<T> dtype) {
      return (List<Tensor<T>>) (List<?>) numbers.get(dtype);
    }
  }

  /** Optimizer of this state; null for a restored state that no optimizer has taken over. */
  private User user;

  OptimizerState(String name, Tensor<I64> updates, Map<DType<?>, List<Tensor<?>>> kept) {
    this.name = name;
    this.updates = updates;
    this.kept = kept;
  }

  /** Returns the state before the first update. */
  static OptimizerState zeros(
      Context ctx, String name, int count, Map<DType<?>, ParameterBuffer<?>> parameters) {
    var kept = new HashMap<DType<?>, List<Tensor<?>>>();
    parameters.forEach((dtype, flat) -> kept.put(dtype, flat.zeros(ctx, count)));
    return new OptimizerState(name, ctx.zeros(Ops.I64), kept);
  }

  /** Returns the number of state values for each parameter. */
  int count() {
    return kept.values().stream().mapToInt(List::size).max().orElse(0);
  }

  /** Returns true if an optimizer has taken over this state. */
  boolean isUsed() {
    return user != null;
  }

  /** Assigns an optimizer to this state and allocates the memory for its updates. */
  void use(Context ctx, Optimizer optimizer) {
    requireRate(ctx.eval(rate(optimizer)).item(), optimizer);
    var numbers = new HashMap<DType<?>, List<Tensor<?>>>();
    var scales = new HashMap<DType<?>, Tensor<?>>();
    for (DType<?> dtype : kept.keySet()) {
      var room = new ArrayList<Tensor<?>>();
      numbers(optimizer, dtype).forEach(_ -> room.add(ctx.zeros(dtype)));
      numbers.put(dtype, room);
      scales.put(dtype, ctx.zeros(dtype));
    }
    user = new User(optimizer, ctx.zeros(Ops.BOOL), scales, numbers);
  }

  /**
   * Computes the values of an update that all parameters share, and counts the update; one kernel,
   * besides the norm of the gradient.
   *
   * @param sound false if the update must not change anything
   * @param squares sum of squares of all gradients; read only if the optimizer clips
   */
  void prepare(Context ctx, Expr<BOOL> sound, Expr<F64> squares, Precision precision) {
    ctx.assign(user.sound, sound);
    if (precision.scales()) {
      precision.adapt(user.sound);
    }
    if (user.optimizer.clips()) {
      Expr<F64> scale = Ops.min(Ops.rsqrt(squares).times(user.optimizer.longest()), 1.0);
      kept.keySet().forEach(dtype -> assignCast(ctx, user.scale(dtype), scale));
    }
    kept.keySet().forEach(dtype -> assignNumbers(ctx, dtype));
    ctx.assign(updates, Ops.where(user.sound, updates.plus(1), updates));
  }

  private static <T> void assignCast(Context ctx, Tensor<T> to, Expr<F64> value) {
    ctx.assign(to, value.cast(to.dtype()));
  }

  private <T> void assignNumbers(Context ctx, DType<T> dtype) {
    List<Expr<T>> numbers = numbers(user.optimizer, dtype);
    for (int k = 0; k < numbers.size(); k++) {
      ctx.assign(user.<T>numbers(dtype).get(k), numbers.get(k));
    }
  }

  private <T> List<Expr<T>> numbers(Optimizer optimizer, DType<T> dtype) {
    return optimizer.scalars(rate(optimizer).cast(dtype), updates.plus(1).cast(dtype));
  }

  /** Returns the learning rate of the next update. */
  private Expr<F32> rate(Optimizer optimizer) {
    return optimizer.schedule().rate(updates.cast(Ops.F32));
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
   * @param w the parameters
   * @param g their gradients
   * @param kept their optimizer state
   */
  <T> void update(Context ctx, Tensor<T> w, Tensor<T> g, List<Tensor<T>> kept) {
    Expr<T> clipped = user.optimizer.clips() ? g.times(user.scale(w.dtype())) : g;
    List<Expr<T>> numbers = List.copyOf(user.<T>numbers(w.dtype()));
    ctx.assignAll(
        user.optimizer.newValues(w, clipped, kept, numbers).stream()
            .map(pair -> guarded(pair, user.sound))
            .toArray(Pair[]::new));
  }

  private static <T> Pair<T> guarded(Pair<T> pair, Expr<BOOL> sound) {
    return Pair.of(pair.target(), Ops.where(sound, pair.expr(), pair.target()));
  }
}
