package ristretto.symbolic;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import ristretto.expr.BOOL;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.F64;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/** An executor's parameters, their gradients, their optimizers, and their update. */
final class Learning {
  private final Context ctx;
  private final Map<DType<?>, Flat<?>> parameters = new LinkedHashMap<>();
  private final Map<DType<?>, Flat<?>> gradients = new LinkedHashMap<>();
  private final Optimizers optimizers;

  /** Parameters with a gradient, by the backward passes since the last update. */
  private List<Variable<?>> reached = List.of();

  /** An update has used the gradients. */
  private boolean spent;

  Learning(Context ctx, List<Variable<?>> variables) {
    this.ctx = ctx;
    var byType = new LinkedHashMap<DType<?>, List<Variable<?>>>();
    for (Variable<?> v : variables) {
      byType.computeIfAbsent(v.dtype(), _ -> new ArrayList<>()).add(v);
    }
    byType.forEach((dtype, all) -> parameters.put(dtype, new Flat<>(ctx, dtype, all)));
    optimizers = new Optimizers(ctx, parameters);
  }

  Map<DType<?>, Flat<?>> parameters() {
    return parameters;
  }

  Optimizers optimizers() {
    return optimizers;
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
    OptimizerState state = optimizers.find(optimizer);
    Tensor<T> means = null;
    if (state != null && flat != null && flat.part(parameter) != null) {
      means = optimizer.averages((List<Tensor<T>>) (List<?>) state.kept.get(parameter.dtype()));
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
      optimizers.of(optimizer);
    }
  }

  /** Notes which parameters a backward pass has gradients for; allocates nothing for the same. */
  void reach(List<Variable<?>> some) {
    if (spent || reached.isEmpty()) {
      reached = some;
    } else if (reached != some) {
      var both = new LinkedHashSet<Variable<?>>(reached);
      both.addAll(some);
      reached = List.copyOf(both);
    }
    spent = false;
  }

  /** Parameters that an update would change. */
  List<Variable<?>> reached() {
    return reached;
  }

  /** Says that the next backward pass computes gradients of another update. */
  void updated() {
    spent = true;
  }

  /** Writes down the gradient of a parameter; null stands for zeros. */
  @SuppressWarnings("unchecked")
  <T> void store(Variable<T> v, Expr<?> gradient) {
    var to = (Tensor<T>) gradients.get(v.dtype()).part(v);
    ctx.assign(
        to, gradient == null ? Ops.fill(v.dtype(), 0, to.shape().toArray()) : (Expr<T>) gradient);
  }

  /**
   * Computes what an update needs that is the same for all parameters.
   *
   * @param loss no parameter changes where it is not finite; empty if the update does not depend on
   *     it
   */
  void prepareUpdate(Optimizer optimizer, Optional<Expr<?>> loss, Precision precision) {
    Expr<F64> squares = optimizer.clips() ? ctx.eval(squares()) : null;
    Expr<BOOL> sound = loss.isPresent() ? sound(loss.get()) : Ops.scalar(Ops.BOOL, 1);
    Expr<BOOL> all = precision.scales() ? sound.and(finite()) : sound;
    optimizers.of(optimizer).prepare(ctx, all, squares, precision);
  }

  /**
   * Assigns new values to some parameters, and to what the optimizer keeps for them, after {@link
   * #prepareUpdate}; all others stay as they are.
   */
  void update(Optimizer optimizer, List<Variable<?>> some) {
    OptimizerState state = optimizers.of(optimizer);
    var reached = new HashSet<>(some);
    parameters.values().forEach(flat -> update(state, flat, reached));
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

  @SuppressWarnings("unchecked")
  private <T> void update(OptimizerState state, Flat<T> flat, Set<Variable<?>> reached) {
    Flat<T> g = (Flat<T>) gradients.get(flat.dtype);
    List<Tensor<T>> kept = (List<Tensor<T>>) (List<?>) state.kept.get(flat.dtype);
    for (Flat.Stretch stretch : flat.stretches(reached)) {
      state.update(
          ctx,
          flat.part(stretch, flat.all),
          g.part(stretch, g.all),
          kept.stream().map(t -> flat.part(stretch, t)).toList());
    }
  }
}
