package ristretto.symbolic.state;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.optim.UpdateRules;

/** Parameters of an executor, with their gradients, optimizers and updates. */
public final class TrainingState {
  private final Context ctx;
  private final Map<DType<?>, ParameterBuffer<?>> parameters = new LinkedHashMap<>();
  private final Map<DType<?>, ParameterBuffer<?>> gradients = new LinkedHashMap<>();
  private final OptimizerStates optimizers;

  /** Parameters for which a backward pass since the last update has computed a gradient. */
  private List<Variable<?>> reached = List.of();

  /** Parameters whose gradients the last backward pass has computed. */
  private List<Variable<?>> computed = List.of();

  private final Set<Variable<?>> frozen = new HashSet<>();

  /** True if an update has used the gradients. */
  private boolean spent;

  public TrainingState(Context ctx, List<Variable<?>> variables) {
    this.ctx = ctx;
    var byType = new LinkedHashMap<DType<?>, List<Variable<?>>>();
    for (Variable<?> v : variables) {
      byType.computeIfAbsent(v.dtype(), _ -> new ArrayList<>()).add(v);
    }
    byType.forEach((dtype, all) -> parameters.put(dtype, new ParameterBuffer<>(ctx, dtype, all)));
    optimizers = new OptimizerStates(ctx, parameters, List.copyOf(variables));
  }

  public Map<DType<?>, ParameterBuffer<?>> parameters() {
    return parameters;
  }

  public OptimizerStates optimizers() {
    return optimizers;
  }

  @SuppressWarnings("unchecked")
  public <T> Tensor<T> parameter(Variable<T> parameter) {
    ParameterBuffer<?> all = parameters.get(parameter.dtype());
    return all == null ? null : (Tensor<T>) all.part(parameter);
  }

  /**
   * Checks that all parameters among some variables belong to this executor, and all states to
   * {@code states}.
   *
   * @throws ShapeException if a parameter or a state does not
   */
  public void requireAll(Set<Variable<?>> variables, Set<Variable<?>> states) {
    for (Variable<?> v : variables) {
      ParameterBuffer<?> all = parameters.get(v.dtype());
      boolean known =
          switch (v.kind()) {
            case PARAMETER -> all != null && all.part(v) != null;
            case STATE -> states.contains(v);
            case INPUT, OUTPUT -> true;
          };
      if (!known) {
        throw new ShapeException(
            "[sharing] parameters and states must belong to the executor; got "
                + v
                + ", which the executor lacks; name an output that reads it when the executor is"
                + " made.");
      }
    }
  }

  /**
   * Checks that the last backward pass has computed the gradient of a parameter, if the executor
   * has memory for it.
   *
   * @param op name of the operation for the message
   * @throws ShapeException if not
   */
  public void requireComputed(String op, Variable<?> parameter) {
    if (gradient(parameter) != null && !computed.contains(parameter)) {
      throw new ShapeException(
          ("[%s] the last run must have computed the gradient; got %s, which is frozen or which the"
                  + " optimizer of that run does not update; unfreeze it, or call backward(loss).")
              .formatted(op, parameter));
    }
  }

  /** Freezes parameters, or makes them trainable again. */
  public void setFrozen(Set<Variable<?>> some, boolean isFrozen) {
    if (isFrozen) {
      frozen.addAll(some);
    } else {
      frozen.removeAll(some);
    }
    optimizers.forgetAccumulated();
  }

  /** Returns true for a parameter that no optimizer may change. */
  public boolean isFrozen(Variable<?> parameter) {
    return frozen.contains(parameter);
  }

  /**
   * Returns the test for parameters that are not frozen and that an optimizer updates.
   *
   * @param optimizer prepared optimizer; null for all parameters
   */
  public Predicate<Variable<?>> trained(Optimizer optimizer) {
    if (optimizer == null) {
      return v -> !frozen.contains(v);
    }
    Set<Variable<?>> own = optimizers.parameters(optimizer);
    return v -> own.contains(v) && !frozen.contains(v);
  }

  /** Returns the memory for the gradient of a parameter, or null. */
  public Tensor<?> gradient(Variable<?> parameter) {
    ParameterBuffer<?> all = gradients.get(parameter.dtype());
    return all == null ? null : all.part(parameter);
  }

  /** Returns the memory for the gradient of a parameter. */
  @SuppressWarnings("unchecked")
  public <T> Tensor<T> gradientOf(Variable<T> parameter) {
    return (Tensor<T>) gradients.get(parameter.dtype()).part(parameter);
  }

  /** Returns true if an optimizer has a running mean of a parameter. */
  public boolean isAveraged(Variable<?> parameter, Optimizer optimizer) {
    return optimizer.isAveraging() && optimizers.hasUpdated(optimizer, parameter);
  }

  @SuppressWarnings("unchecked")
  public <T> Tensor<T> average(Variable<T> parameter, Optimizer optimizer) {
    if (!isAveraged(parameter, optimizer)) {
      throw new ShapeException(
          "[average] the optimizer must average parameters and have updated this one; got "
              + parameter
              + "; make the optimizer with average(decay).");
    }
    var flat = (ParameterBuffer<T>) parameters.get(parameter.dtype());
    OptimizerState state = optimizers.find(optimizer);
    List<Tensor<?>> kept = state.kept.get(parameter.dtype()).subList(0, optimizer.states());
    return flat.part(parameter, optimizer.averages((List<Tensor<T>>) (List<?>) kept));
  }

  /**
   * Checks that gradients have been computed.
   *
   * @throws ShapeException if not
   */
  public void requireGradients() {
    if (!gradients.keySet().containsAll(parameters.keySet())) {
      throw new ShapeException(
          "[update] gradients must have been computed; got none; call backward(loss) first.");
    }
  }

  /** Allocates memory for gradients, and for the state of the optimizer unless it is null. */
  public void prepare(Optimizer optimizer) {
    parameters.forEach((dtype, flat) -> gradients.computeIfAbsent(dtype, _ -> flat.another(ctx)));
    if (optimizer != null) {
      optimizers.of(optimizer);
    }
  }

  /** Prepares an optimizer whose updates other processes compute. */
  public void prepareAll(Optimizer optimizer) {
    prepare(optimizer);
    OptimizerState state = optimizers.of(optimizer);
    state.rules().parameters().forEach(v -> state.updatedNames.add(v.name()));
  }

  /**
   * Records the parameters for which a backward pass has gradients; allocates nothing if they are
   * unchanged.
   *
   * @param some parameters that the loss depends on
   * @param trained parameters whose gradients are computed, zeros included
   */
  public void reach(List<Variable<?>> some, List<Variable<?>> trained) {
    if (spent || reached.isEmpty()) {
      reached = some;
    } else if (reached != some) {
      var both = new LinkedHashSet<Variable<?>>(reached);
      both.addAll(some);
      reached = List.copyOf(both);
    }
    computed = trained;
    spent = false;
  }

  /**
   * Returns the parameters that an update would change.
   *
   * @throws ShapeException if there are none
   */
  public List<Variable<?>> updatable(Optimizer optimizer) {
    List<Variable<?>> some = reached.stream().filter(trained(optimizer)).toList();
    if (some.isEmpty()) {
      throw new ShapeException(
          ("[update] the last backward pass must have reached a parameter that is not frozen and"
                  + " that the optimizer updates; got %s; unfreeze it, or use an optimizer that"
                  + " updates it.")
              .formatted(reached.isEmpty() ? "none" : reached.getFirst()));
    }
    return some;
  }

  /** Records an update, after which the next backward pass starts a new set of gradients. */
  public void updated() {
    spent = true;
  }

  /** Stores the gradient of a parameter; null stands for zeros. */
  @SuppressWarnings("unchecked")
  public <T> void store(Variable<T> v, Expr<?> gradient) {
    var to = (Tensor<T>) gradients.get(v.dtype()).part(v);
    ctx.assign(
        to, gradient == null ? Ops.fill(v.dtype(), 0, to.shape().toArray()) : (Expr<T>) gradient);
  }

  /**
   * Computes the values of an update that all parameters share.
   *
   * @param loss if this is not finite, no parameter changes; empty if the update does not depend on
   *     a loss
   * @param some parameters to update
   */
  public void prepareUpdate(
      Optimizer optimizer, Optional<Expr<?>> loss, Precision precision, List<Variable<?>> some) {
    OptimizerState state = optimizers.of(optimizer);
    var reached = new HashSet<>(some);
    Expr<BOOL> sound = loss.isPresent() ? sound(loss.get()) : Ops.scalar(Ops.BOOL, 1);
    if (!state.accumulates) {
      // Norms first: then the scalars of the update are one kernel.
      List<Expr<F64>> squares = squares(state, reached);
      state.begin(ctx, precision.scales() ? sound.and(finite(reached)) : sound, precision);
      state.prepare(ctx, squares);
      return;
    }
    state.begin(ctx, precision.scales() ? sound.and(finite(reached)) : sound, precision);
    parameters.values().forEach(flat -> accumulate(state, flat, reached));
    state.countAccumulated(ctx);
    state.prepare(ctx, squares(state, reached));
  }

  /** Returns the sum of squares of the gradients that each norm limits. */
  private List<Expr<F64>> squares(OptimizerState state, Set<Variable<?>> reached) {
    var squares = new ArrayList<Expr<F64>>();
    for (int k = 0; k < state.rules().norms().size(); k++) {
      squares.add(ctx.eval(sumOfSquares(state, clipped(state.rules(), k, reached))));
    }
    return squares;
  }

  private <T> void accumulate(
      OptimizerState state, ParameterBuffer<T> flat, Set<Variable<?>> reached) {
    for (ParameterBuffer.Range range : flat.ranges(reached)) {
      state.accumulate(
          ctx, flat.part(range, computed(flat)), flat.part(range, gradients(state, flat)));
    }
  }

  /** Returns the sums of accumulated gradients, or the gradients of the last pass. */
  @SuppressWarnings("unchecked")
  private <T> Tensor<T> gradients(OptimizerState state, ParameterBuffer<T> flat) {
    return state.accumulates ? (Tensor<T>) state.kept.get(flat.dtype).getLast() : computed(flat);
  }

  /** Returns the gradients of the last backward pass. */
  @SuppressWarnings("unchecked")
  private <T> Tensor<T> computed(ParameterBuffer<T> flat) {
    return ((ParameterBuffer<T>) gradients.get(flat.dtype)).all;
  }

  /** Returns those of some parameters whose gradients a norm limits together. */
  private static Set<Variable<?>> clipped(UpdateRules rules, int norm, Set<Variable<?>> reached) {
    var some = new HashSet<Variable<?>>();
    rules.rules().stream()
        .filter(rule -> rule.norm() == norm)
        .forEach(rule -> some.addAll(rule.parameters()));
    some.retainAll(reached);
    return some;
  }

  /**
   * Assigns new values to some parameters and to their optimizer state, after {@link
   * #prepareUpdate}; other parameters do not change.
   */
  public void update(Optimizer optimizer, List<Variable<?>> some) {
    OptimizerState state = optimizers.of(optimizer);
    var reached = new HashSet<>(some);
    parameters.values().forEach(flat -> update(state, flat, reached));
  }

  private <T> Expr<BOOL> sound(Expr<T> loss) {
    return Ops.isFinite(loss instanceof Tensor ? loss : ctx.eval(loss)).reshape();
  }

  /** Returns a scalar that is true if the gradients of some parameters are finite. */
  private Expr<BOOL> finite(Set<Variable<?>> some) {
    Expr<BOOL> all = Ops.scalar(Ops.BOOL, 1);
    for (ParameterBuffer<?> flat : gradients.values()) {
      for (Tensor<?> part : flat.parts(some)) {
        all = all.and(ctx.eval(Ops.all(Ops.isFinite(part))));
      }
    }
    return all;
  }

  /** Returns the sum of squares of the gradients of some parameters. */
  private Expr<F64> sumOfSquares(OptimizerState state, Set<Variable<?>> some) {
    Expr<F64> squares = Ops.scalar(Ops.F64, 0);
    for (ParameterBuffer<?> flat : parameters.values()) {
      for (Expr<?> part : parts(state, flat, some)) {
        squares = squares.plus(squares(part));
      }
    }
    return squares;
  }

  private <T> List<Expr<T>> parts(
      OptimizerState state, ParameterBuffer<T> flat, Set<Variable<?>> some) {
    return flat.ranges(some).stream()
        .map(range -> state.mean(flat.part(range, gradients(state, flat))))
        .toList();
  }

  private static <T> Expr<F64> squares(Expr<T> gradient) {
    return Ops.sum(Ops.square(gradient)).cast(Ops.F64);
  }

  @SuppressWarnings("unchecked")
  private <T> void update(OptimizerState state, ParameterBuffer<T> flat, Set<Variable<?>> reached) {
    Tensor<T> g = gradients(state, flat);
    List<Tensor<T>> all = (List<Tensor<T>>) (List<?>) state.kept.get(flat.dtype);
    List<Tensor<T>> kept = state.accumulates ? all.subList(0, all.size() - 1) : all;
    List<UpdateRules.Rule> rules = state.rules().rules();
    for (int k = 0; k < rules.size(); k++) {
      var some = new HashSet<>(rules.get(k).parameters());
      some.retainAll(reached);
      for (UnaryOperator<Tensor<T>> part : parts(rules.get(k).formula(), flat, some)) {
        state.update(ctx, k, part.apply(flat.all), part.apply(g), kept.stream().map(part).toList());
      }
    }
  }

  /** Returns the views of a buffer to which an optimizer applies its formula. */
  private static <T> List<UnaryOperator<Tensor<T>>> parts(
      Optimizer formula, ParameterBuffer<T> flat, Set<Variable<?>> some) {
    var parts = new ArrayList<UnaryOperator<Tensor<T>>>();
    if (formula.isPerParameter()) {
      flat.variables().stream()
          .filter(some::contains)
          .forEach(v -> parts.add(t -> flat.part(v, t)));
    } else {
      flat.ranges(some).forEach(range -> parts.add(t -> flat.part(range, t)));
    }
    return parts;
  }
}
