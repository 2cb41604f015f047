package ristretto.symbolic;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import ristretto.expr.BOOL;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.F64;
import ristretto.expr.I64;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/** An executor's parameters, their gradients, what optimizers keep for them, and their update. */
final class Learning {
  private final Context ctx;
  private final Map<DType<?>, Flat<?>> parameters = new LinkedHashMap<>();
  private final Map<DType<?>, Flat<?>> gradients = new LinkedHashMap<>();
  private final Map<Optimizer, Map<DType<?>, List<Tensor<?>>>> kept = new LinkedHashMap<>();

  /** Read from a file, for optimizers that have not been used yet. */
  private final Queue<Map<DType<?>, List<Tensor<?>>>> restored = new ArrayDeque<>();

  Learning(Context ctx, List<Variable<?>> variables) {
    this.ctx = ctx;
    var byType = new LinkedHashMap<DType<?>, List<Variable<?>>>();
    for (Variable<?> v : variables) {
      byType.computeIfAbsent(v.dtype(), _ -> new ArrayList<>()).add(v);
    }
    byType.forEach((dtype, all) -> parameters.put(dtype, new Flat<>(ctx, dtype, all)));
  }

  Map<DType<?>, Flat<?>> parameters() {
    return parameters;
  }

  /** What each optimizer keeps, in the order in which they were first used. */
  List<Map<DType<?>, List<Tensor<?>>>> kept() {
    return List.copyOf(kept.values());
  }

  /** What optimizers find that have not been used yet. */
  void restored(List<Map<DType<?>, List<Tensor<?>>>> unclaimed) {
    restored.clear();
    restored.addAll(unclaimed);
  }

  @SuppressWarnings("unchecked")
  <T> Tensor<T> parameter(Variable<T> parameter) {
    return (Tensor<T>) parameters.get(parameter.dtype()).part(parameter);
  }

  /** The gradient of a parameter, or null. */
  Tensor<?> gradient(Variable<?> parameter) {
    Flat<?> all = gradients.get(parameter.dtype());
    return all == null ? null : all.part(parameter);
  }

  @SuppressWarnings("unchecked")
  <T> Tensor<T> average(Variable<T> parameter, Optimizer optimizer) {
    Flat<T> flat = (Flat<T>) parameters.get(parameter.dtype());
    Map<DType<?>, List<Tensor<?>>> all = kept.get(optimizer);
    Tensor<T> means = null;
    if (all != null && flat != null && flat.part(parameter) != null) {
      means = optimizer.averages((List<Tensor<T>>) (List<?>) all.get(parameter.dtype()));
    }
    if (means == null) {
      throw new ShapeException(
          "[average] the optimizer must keep averages, and have made a step, of a parameter; got "
              + parameter
              + "; make it with average(decay).");
    }
    return flat.part(parameter, means);
  }

  /** Memory for gradients, and for what an optimizer keeps, if there is one. */
  void prepare(Optimizer optimizer) {
    parameters.forEach((dtype, flat) -> gradients.computeIfAbsent(dtype, _ -> flat.another(ctx)));
    if (optimizer != null) {
      kept.computeIfAbsent(optimizer, _ -> first(optimizer.states()));
    }
  }

  private Map<DType<?>, List<Tensor<?>>> first(int states) {
    if (!restored.isEmpty()) {
      return Checkpoint.claim(restored, states);
    }
    var all = new HashMap<DType<?>, List<Tensor<?>>>();
    parameters.forEach((dtype, flat) -> all.put(dtype, flat.zeros(ctx, states)));
    return all;
  }

  /** Writes down the gradient of a parameter; null stands for zeros. */
  @SuppressWarnings("unchecked")
  <T> void store(Variable<T> v, Expr<?> gradient) {
    var to = (Tensor<T>) gradients.get(v.dtype()).part(v);
    ctx.assign(
        to, gradient == null ? Ops.fill(v.dtype(), 0, to.shape().toArray()) : (Expr<T>) gradient);
  }

  /**
   * New parameters, unless the loss is not finite.
   *
   * @param number of the step, from 0
   */
  void step(Optimizer optimizer, Expr<?> loss, Tensor<I64> number) {
    Expr<BOOL> sound = sound(loss);
    Expr<F64> scale = scale(optimizer.longest());
    parameters.values().forEach(flat -> update(optimizer, flat, sound, scale, number));
  }

  private <T> Expr<BOOL> sound(Expr<T> loss) {
    return Ops.isFinite(loss instanceof Tensor ? loss : ctx.eval(loss)).reshape();
  }

  /** What all gradients are multiplied with so that together they are not too long. */
  private Expr<F64> scale(double longest) {
    if (longest == Double.POSITIVE_INFINITY) {
      return null;
    }
    Expr<F64> squares = Ops.scalar(Ops.F64, 0);
    for (DType<?> dtype : parameters.keySet()) {
      squares = squares.plus(squares(gradients.get(dtype)));
    }
    return Ops.min(Ops.rsqrt(ctx.eval(squares)).times(longest), 1.0);
  }

  private static <T> Expr<F64> squares(Flat<T> flat) {
    return Ops.sum(Ops.square(flat.all)).cast(Ops.F64);
  }

  @SuppressWarnings("unchecked")
  private <T> void update(
      Optimizer optimizer, Flat<T> flat, Expr<BOOL> sound, Expr<F64> scale, Tensor<I64> step) {
    List<Tensor<?>> all = kept.get(optimizer).get(flat.dtype);
    List<Tensor<T>> typed = all.stream().map(t -> (Tensor<T>) t).toList();
    Expr<T> g = ((Flat<T>) gradients.get(flat.dtype)).all;
    g = scale == null ? g : g.times(scale.cast(flat.dtype));
    Expr<T> rate = optimizer.schedule().rate(step.cast(Ops.F32)).cast(flat.dtype);
    Expr<T> number = step.plus(1).cast(flat.dtype);
    ctx.assignAll(
        optimizer.update(flat.all, g, typed, rate, number).stream()
            .map(pair -> guarded(pair, sound))
            .toArray(Pair[]::new));
  }

  private static <T> Pair<T> guarded(Pair<T> pair, Expr<BOOL> sound) {
    return Pair.of(pair.target(), Ops.where(sound, pair.expr(), pair.target()));
  }
}
