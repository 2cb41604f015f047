package ristretto.symbolic;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
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
  /**
   * Memory for what an update computes once.
   *
   * @param sound whether the loss is finite
   * @param scale of gradients, by their dtype
   * @param numbers of the optimizer, by the parameters' dtype
   */
  private record Once(
      Tensor<BOOL> sound, Map<DType<?>, Tensor<?>> scale, Map<DType<?>, List<Tensor<?>>> numbers) {
    @SuppressWarnings("unchecked")
    <T> Tensor<T> scale(DType<T> dtype) {
      return (Tensor<T>) scale.get(dtype);
    }

    @SuppressWarnings("unchecked")
    <T> List<Tensor<T>> numbers(DType<T> dtype) {
      return (List<Tensor<T>>) (List<?>) numbers.get(dtype);
    }
  }

  private final Context ctx;
  private final Map<DType<?>, Flat<?>> parameters = new LinkedHashMap<>();
  private final Map<DType<?>, Flat<?>> gradients = new LinkedHashMap<>();
  private final Map<Optimizer, Map<DType<?>, List<Tensor<?>>>> kept = new LinkedHashMap<>();

  private final Map<Optimizer, Once> once = new HashMap<>();

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

  /**
   * That the parameters among some variables are here, and the states among {@code states}.
   *
   * @throws ShapeException if one is not
   */
  void requireAll(Set<Variable<?>> variables, Set<Variable<?>> states) {
    for (Variable<?> v : variables) {
      Flat<?> all = parameters.get(v.dtype());
      boolean known =
          switch (v.kind()) {
            case PARAMETER -> all != null && all.part(v) != null;
            case STATE -> states.contains(v);
            case INPUT, OUTPUT -> true;
          };
      if (!known) {
        throw new ShapeException(
            "[sharing] parameters and states must be those of the executor; got "
                + v
                + ", which it has not; name an output that reads it when the executor is made.");
      }
    }
  }

  /** The gradient of a parameter, or null. */
  Tensor<?> gradient(Variable<?> parameter) {
    Flat<?> all = gradients.get(parameter.dtype());
    return all == null ? null : all.part(parameter);
  }

  /** Where the gradient of a parameter is kept. */
  @SuppressWarnings("unchecked")
  <T> Tensor<T> gradientOf(Variable<T> parameter) {
    return (Tensor<T>) gradients.get(parameter.dtype()).part(parameter);
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

  /**
   * @throws ShapeException if no gradients have been computed
   */
  void requireGradients() {
    if (!gradients.keySet().containsAll(parameters.keySet())) {
      throw new ShapeException(
          "[update] gradients must have been computed; got none; call backward(loss) first.");
    }
  }

  /** Memory for gradients, and for what an optimizer keeps, if there is one. */
  void prepare(Optimizer optimizer) {
    parameters.forEach((dtype, flat) -> gradients.computeIfAbsent(dtype, _ -> flat.another(ctx)));
    if (optimizer != null) {
      kept.computeIfAbsent(optimizer, _ -> first(optimizer.states()));
      once.computeIfAbsent(optimizer, this::room);
    }
  }

  private Once room(Optimizer optimizer) {
    var numbers = new HashMap<DType<?>, List<Tensor<?>>>();
    for (DType<?> dtype : parameters.keySet()) {
      var room = new ArrayList<Tensor<?>>();
      numbers(optimizer, dtype, Ops.scalar(Ops.I64, 0))
          .forEach(number -> room.add(ctx.zeros(dtype)));
      numbers.put(dtype, room);
    }
    var scales = new HashMap<DType<?>, Tensor<?>>();
    parameters.keySet().forEach(dtype -> scales.put(dtype, ctx.zeros(dtype)));
    return new Once(ctx.zeros(Ops.BOOL), scales, numbers);
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
   * Computes what an update needs that is the same for all parameters: one kernel, besides the
   * length of the gradient.
   *
   * @param loss no parameter changes where it is not finite; empty if the update does not depend on
   *     it
   * @param step number of the step, from 0
   */
  void prepareUpdate(
      Optimizer optimizer, Optional<Expr<?>> loss, Expr<I64> step, Precision precision) {
    Once once = this.once.get(optimizer);
    Expr<F64> squares = optimizer.clips() ? ctx.eval(squares()) : null;
    Expr<BOOL> sound = loss.isPresent() ? sound(loss.get()) : Ops.scalar(Ops.BOOL, 1);
    if (precision.scales()) {
      ctx.assign(once.sound, sound.and(finite()));
      precision.adapt(once.sound);
    } else {
      ctx.assign(once.sound, sound);
    }
    if (optimizer.clips()) {
      Expr<F64> scale = Ops.min(Ops.rsqrt(squares).times(optimizer.longest()), 1.0);
      parameters.keySet().forEach(dtype -> assignCast(once.scale(dtype), scale));
    }
    parameters.keySet().forEach(dtype -> prepare(optimizer, dtype, once, step));
  }

  private <T> void assignCast(Tensor<T> to, Expr<F64> value) {
    ctx.assign(to, value.cast(to.dtype()));
  }

  private <T> void prepare(Optimizer optimizer, DType<T> dtype, Once once, Expr<I64> step) {
    List<Expr<T>> numbers = numbers(optimizer, dtype, step);
    for (int k = 0; k < numbers.size(); k++) {
      ctx.assign(once.<T>numbers(dtype).get(k), numbers.get(k));
    }
  }

  private static <T> List<Expr<T>> numbers(Optimizer optimizer, DType<T> dtype, Expr<I64> step) {
    Expr<T> rate = optimizer.schedule().rate(step.cast(Ops.F32)).cast(dtype);
    return optimizer.numbers(rate, step.plus(1).cast(dtype));
  }

  private <T> Expr<BOOL> sound(Expr<T> loss) {
    return Ops.isFinite(loss instanceof Tensor ? loss : ctx.eval(loss)).reshape();
  }

  /** Whether all gradients are. */
  private Expr<BOOL> finite() {
    Expr<BOOL> all = Ops.scalar(Ops.BOOL, 1);
    for (Flat<?> flat : gradients.values()) {
      all = all.and(ctx.eval(Ops.all(Ops.isFinite(flat.all))));
    }
    return all;
  }

  /** The sum of squares of all gradients. */
  private Expr<F64> squares() {
    Expr<F64> squares = Ops.scalar(Ops.F64, 0);
    for (DType<?> dtype : parameters.keySet()) {
      squares = squares.plus(squares(gradients.get(dtype)));
    }
    return squares;
  }

  private static <T> Expr<F64> squares(Flat<T> flat) {
    return Ops.sum(Ops.square(flat.all)).cast(Ops.F64);
  }

  /** New parameters, after {@link #prepareUpdate}. */
  void update(Optimizer optimizer) {
    parameters.values().forEach(flat -> update(optimizer, flat, once.get(optimizer)));
  }

  @SuppressWarnings("unchecked")
  private <T> void update(Optimizer optimizer, Flat<T> flat, Once once) {
    List<Tensor<?>> all = kept.get(optimizer).get(flat.dtype);
    List<Tensor<T>> typed = all.stream().map(t -> (Tensor<T>) t).toList();
    Expr<T> g = ((Flat<T>) gradients.get(flat.dtype)).all;
    g = optimizer.clips() ? g.times(once.scale(flat.dtype)) : g;
    List<Expr<T>> numbers = List.copyOf(once.<T>numbers(flat.dtype));
    ctx.assignAll(
        optimizer.update(flat.all, g, typed, numbers).stream()
            .map(pair -> guarded(pair, once.sound))
            .toArray(Pair[]::new));
  }

  private static <T> Pair<T> guarded(Pair<T> pair, Expr<BOOL> sound) {
    return Pair.of(pair.target(), Ops.where(sound, pair.expr(), pair.target()));
  }
}
