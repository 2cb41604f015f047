package ristretto.symbolic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.kernels.ShapeException;
import ristretto.kernels.debug.Warnings;

/** States of an executor's optimizers, by name, and which parameters each of them updates. */
final class Optimizers {
  private final Context ctx;
  private final Map<DType<?>, Flat<?>> parameters;
  private final Map<String, OptimizerState> states = new LinkedHashMap<>();
  private final Map<Optimizer, OptimizerState> used = new IdentityHashMap<>();
  private final Map<OptimizerState, Set<Variable<?>>> updated = new LinkedHashMap<>();
  private boolean warned;

  Optimizers(Context ctx, Map<DType<?>, Flat<?>> parameters) {
    this.ctx = ctx;
    this.parameters = parameters;
  }

  /** All states, those of optimizers in use in the order of their first use, then restored ones. */
  List<OptimizerState> states() {
    var all = new ArrayList<>(states.values());
    all.sort((a, b) -> Boolean.compare(b.isUsed(), a.isUsed()));
    return all;
  }

  /** Takes up states that were read from a file, in place of those that nobody has used. */
  void restored(List<OptimizerState> unused) {
    states.values().removeIf(state -> !state.isUsed());
    unused.forEach(state -> states.put(state.name, state));
  }

  /**
   * The state of an optimizer: its own, or at its first use a restored one of its name, else a new
   * one.
   *
   * @throws ShapeException if the restored one is of another kind of optimizer
   */
  OptimizerState of(Optimizer optimizer) {
    OptimizerState state = used.get(optimizer);
    if (state == null) {
      state = first(optimizer);
      state.use(ctx, optimizer);
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
      OptimizerState fresh = OptimizerState.zeros(ctx, name, optimizer.states(), parameters);
      states.put(name, fresh);
      return fresh;
    }
    OptimizerState found = restored != null ? restored : unnamed;
    requireKind(optimizer, found);
    states.remove(found.name);
    var renamed = new OptimizerState(name, found.updates, found.kept);
    states.put(name, renamed);
    return renamed;
  }

  /**
   * The next state of a checkpoint that numbers optimizers by their first use, or null. Such files
   * do not tell an optimizer that keeps nothing from none at all.
   */
  private OptimizerState firstUnnamed(Optimizer optimizer) {
    return states.values().stream()
        .filter(state -> !state.isUsed() && Checkpoint.isNumber(state.name))
        .filter(state -> state.count() > 0 || optimizer.states() == 0)
        .findFirst()
        .orElse(null);
  }

  private static void requireKind(Optimizer optimizer, OptimizerState restored) {
    if (restored.count() != optimizer.states()) {
      throw new ShapeException(
          "[step] training must go on with the optimizer it began with; got one that keeps "
              + optimizer.states()
              + (optimizer.states() == 1 ? " number" : " numbers")
              + " for each parameter, and the restored file has "
              + restored.count()
              + "; make the optimizer that was saved, or give the new one a name with named(...).");
    }
  }

  /** Notes which parameters an optimizer updates, and warns once if they have another one. */
  void updates(Optimizer optimizer, List<Variable<?>> reached) {
    OptimizerState state = of(optimizer);
    Set<Variable<?>> own =
        updated.computeIfAbsent(
            state, _ -> Collections.newSetFromMap(new IdentityHashMap<Variable<?>, Boolean>()));
    boolean isNew = own.isEmpty();
    own.addAll(reached);
    boolean meant = optimizer.isNamed() && optimizer.name().equals(state.name);
    if (!warned && isNew && !meant) {
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

  /** True for a restored state that some optimizer should have taken up. */
  private static boolean isWaiting(OptimizerState state) {
    return !state.isUsed() && !(Checkpoint.isNumber(state.name) && state.count() == 0);
  }

  private Set<Variable<?>> updatedBy(OptimizerState state) {
    return updated.getOrDefault(state, new HashSet<>());
  }

  private static void warn(OptimizerState state, OptimizerState other, Variable<?> parameter) {
    Warnings.warn(
        "ristretto.symbolic",
        "[step] parameters should keep the optimizer they have; got a new one, "
            + state.name
            + ", for "
            + parameter
            + ", which has "
            + other.name
            + "; make the optimizer once, before the loop, or, for a new phase of training, say so"
            + " with named(...)");
  }

  /** The state of an optimizer that has been used, or null. */
  OptimizerState find(Optimizer optimizer) {
    return used.get(optimizer);
  }
}
