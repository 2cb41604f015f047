package ristretto.symbolic.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;
import ristretto.kernels.debug.Warnings;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.optim.UpdateRules;

/** States of an executor's optimizers, by name, and the parameters that each of them updates. */
public final class OptimizerStates {
  private final Context ctx;
  private final Map<DType<?>, ParameterBuffer<?>> parameters;

  /** All parameters, in the order in which the model reads them. */
  private final List<Variable<?>> all;

  private final Map<String, OptimizerState> states = new LinkedHashMap<>();
  private final Map<Optimizer, OptimizerState> used = new IdentityHashMap<>();
  private final Map<OptimizerState, Set<Variable<?>>> updated = new LinkedHashMap<>();

  /** States from a file that an optimizer has taken over. */
  private final Set<OptimizerState> continued = new HashSet<>();

  /** Parameters that each accumulating optimizer updates. */
  private final Map<OptimizerState, Set<Variable<?>>> accumulating = new HashMap<>();

  private boolean warned;

  OptimizerStates(
      Context ctx, Map<DType<?>, ParameterBuffer<?>> parameters, List<Variable<?>> all) {
    this.ctx = ctx;
    this.parameters = parameters;
    this.all = all;
  }

  /** Returns the parameters that an optimizer updates. */
  public Set<Variable<?>> parameters(Optimizer optimizer) {
    return of(optimizer).rules().parameters();
  }

  /**
   * Returns all states: first those of optimizers in use, in the order of their first use, then
   * restored ones.
   */
  public List<OptimizerState> states() {
    var all = new ArrayList<>(states.values());
    all.sort((a, b) -> Boolean.compare(b.isUsed(), a.isUsed()));
    return all;
  }

  /** Takes over states read from a file; they replace the states that no optimizer has used. */
  public void restored(List<OptimizerState> unused) {
    states.values().removeIf(state -> !state.isUsed());
    unused.forEach(state -> states.put(state.name, state));
  }

  /**
   * Returns the state of an optimizer. At its first use, an optimizer takes over the restored state
   * of its name, or gets a new one.
   *
   * @throws ShapeException if the restored state has another number of tensors, or a pattern of the
   *     optimizer matches no parameter
   */
  OptimizerState of(Optimizer optimizer) {
    OptimizerState state = used.get(optimizer);
    if (state == null) {
      // Resolves patterns first: if one matches nothing, no state has been taken over.
      var rules = new UpdateRules(optimizer, all);
      state = first(optimizer);
      state.use(ctx, optimizer, rules);
      used.put(optimizer, state);
    }
    return state;
  }

  private OptimizerState first(Optimizer optimizer) {
    String name = optimizer.name();
    for (int k = 2; states.containsKey(name) && states.get(name).isUsed(); k++) {
      name = optimizer.name() + "." + k;
    }
    OptimizerState restored = states.get(name);
    OptimizerState unnamed = optimizer.isNamed() ? null : firstUnnamed(optimizer);
    if (restored == null && unnamed == null) {
      OptimizerState fresh =
          OptimizerState.zeros(
              ctx, name, OptimizerState.count(optimizer), optimizer.accumulates(), parameters);
      states.put(name, fresh);
      return fresh;
    }
    OptimizerState found = restored != null ? restored : unnamed;
    requireKind(optimizer, found);
    states.remove(found.name);
    OptimizerState renamed = found.renamed(name);
    states.put(name, renamed);
    continued.add(renamed);
    return renamed;
  }

  /**
   * Returns the next unused state of a checkpoint that numbers optimizers by their first use, or
   * null. A checkpoint of this kind does not distinguish an optimizer without state from no
   * optimizer.
   */
  private OptimizerState firstUnnamed(Optimizer optimizer) {
    return states.values().stream()
        .filter(state -> !state.isUsed() && Checkpoint.isNumber(state.name))
        .filter(state -> state.count() > 0 || optimizer.states() == 0)
        .findFirst()
        .orElse(null);
  }

  private static void requireKind(Optimizer optimizer, OptimizerState restored) {
    int count = OptimizerState.count(optimizer);
    if (restored.count() != count) {
      throw new ShapeException(
          "[step] training must continue with the optimizer it began with; got one that keeps "
              + count
              + (count == 1 ? " number" : " numbers")
              + " for each parameter, and the restored file has "
              + restored.count()
              + "; make the saved optimizer, or name the new one with named(...).");
    }
    if (restored.accumulates != optimizer.accumulates()) {
      throw new ShapeException(
          ("[step] training must continue with the optimizer it began with; got one that %s"
                  + " gradients, unlike the one in the restored file; make the saved optimizer, or"
                  + " name the new one with named(...).")
              .formatted(optimizer.accumulates() ? "accumulates" : "does not accumulate"));
    }
  }

  /**
   * Records the parameters that an optimizer updates, and warns once if another optimizer updates
   * them too.
   */
  public void updates(Optimizer optimizer, List<Variable<?>> reached) {
    OptimizerState state = of(optimizer);
    Set<Variable<?>> own =
        updated.computeIfAbsent(
            state, _ -> Collections.newSetFromMap(new IdentityHashMap<Variable<?>, Boolean>()));
    boolean isNew = own.isEmpty();
    if (optimizer.accumulates()) {
      requireSame(state, reached);
    }
    own.addAll(reached);
    boolean meant = optimizer.isNamed() && optimizer.name().equals(state.name);
    if (!warned && isNew && !meant && !continued.contains(state)) {
      for (OptimizerState other : states.values()) {
        boolean both = isWaiting(other) || !Collections.disjoint(updatedBy(other), reached);
        if (other != state && both) {
          warned = true;
          warn(state, other, reached.getFirst());
          return;
        }
      }
    }
  }

  /** Requires that all steps of an accumulation update the same parameters. */
  private void requireSame(OptimizerState state, List<Variable<?>> reached) {
    Set<Variable<?>> before = accumulating.putIfAbsent(state, new HashSet<>(reached));
    if (before != null && !before.equals(new HashSet<>(reached))) {
      var differing = new HashSet<>(reached);
      differing.addAll(before);
      differing.removeIf(v -> before.contains(v) && reached.contains(v));
      throw new ShapeException(
          ("[step] all losses of an optimizer that accumulates gradients must reach the same"
               + " parameters; got %s, which only some of them reach; give each loss an optimizer"
               + " of its own, or add the losses up.")
              .formatted(all.stream().filter(differing::contains).findFirst().orElseThrow()));
    }
  }

  /** Drops all accumulated gradients, which are of parameters that were trained until now. */
  void forgetAccumulated() {
    accumulating.clear();
    states.values().forEach(state -> state.forgetAccumulated(ctx));
  }

  /** Returns true for a restored state that no optimizer has taken over yet. */
  private static boolean isWaiting(OptimizerState state) {
    return !state.isUsed() && !(Checkpoint.isNumber(state.name) && state.count() == 0);
  }

  private Set<Variable<?>> updatedBy(OptimizerState state) {
    return updated.getOrDefault(state, new HashSet<>());
  }

  private static void warn(OptimizerState state, OptimizerState other, Variable<?> parameter) {
    Warnings.warn(
        "ristretto.symbolic",
        ("[step] a parameter should keep its optimizer; got a new one, %s, for %s, which has %s;"
                + " make the optimizer once, before the loop, or name that of a new training phase"
                + " with named(...)")
            .formatted(state.name, parameter, other.name));
  }

  /**
   * Multiplies the learning rates of an optimizer.
   *
   * @throws ShapeException if the factor is not positive
   */
  public void scaleRate(Optimizer optimizer, double factor) {
    if (!(factor > 0 && factor < Double.POSITIVE_INFINITY)) {
      throw new ShapeException(
          "[scaleRate] the factor of a learning rate must be finite and above 0; got "
              + factor
              + ".");
    }
    Tensor<F32> all = of(optimizer).rateFactor;
    ctx.assign(all, all.times(factor));
  }

  /** Returns true if a step with an optimizer updates a parameter. */
  boolean hasUpdated(Optimizer optimizer, Variable<?> parameter) {
    OptimizerState state = find(optimizer);
    return state != null && updatedBy(state).contains(parameter);
  }

  /** Returns the state of an optimizer that has been used, or null. */
  OptimizerState find(Optimizer optimizer) {
    return used.get(optimizer);
  }
}
