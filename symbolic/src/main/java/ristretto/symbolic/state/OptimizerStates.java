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
import java.util.function.Predicate;
import java.util.stream.Collectors;
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
      state = first(optimizer, rules.parameters());
      state.use(ctx, optimizer, rules);
      used.put(optimizer, state);
    }
    return state;
  }

  private OptimizerState first(Optimizer optimizer, Set<Variable<?>> scope) {
    OptimizerState found = optimizer.isNamed() ? ofName(optimizer) : waiting(optimizer, scope);
    if (found != null) {
      requireKind(optimizer, found);
      states.remove(found.name);
      OptimizerState taken =
          found.renamed(Checkpoint.isNumber(found.name) ? freeName(optimizer) : found.name);
      states.put(taken.name, taken);
      continued.add(taken);
      return taken;
    }
    OptimizerState fresh =
        OptimizerState.zeros(
            ctx,
            freeName(optimizer),
            OptimizerState.count(optimizer),
            optimizer.accumulates(),
            parameters);
    states.put(fresh.name, fresh);
    return fresh;
  }

  /** Returns the name of a new state: that of the optimizer, with a number if it is taken. */
  private String freeName(Optimizer optimizer) {
    String name = optimizer.name();
    for (int k = 2; states.containsKey(name); k++) {
      name = optimizer.name() + "." + k;
    }
    return name;
  }

  /** Returns the restored state with the name of an optimizer, or null. */
  private OptimizerState ofName(Optimizer optimizer) {
    String name = optimizer.name();
    for (int k = 2; states.containsKey(name) && states.get(name).isUsed(); k++) {
      name = optimizer.name() + "." + k;
    }
    return states.get(name);
  }

  /**
   * Returns the restored state that an optimizer without a name of its own takes over, or null:
   * among the states of its class, the one of the same parameters; otherwise, the one of a part of
   * its parameters; otherwise, the one that has some of them.
   *
   * @param scope parameters that the optimizer updates
   * @throws ShapeException if several states fit equally
   */
  private OptimizerState waiting(Optimizer optimizer, Set<Variable<?>> scope) {
    List<OptimizerState> some =
        states.values().stream()
            .filter(state -> !state.isUsed() && isOfClass(state, optimizer))
            .toList();
    var names = new HashSet<String>();
    scope.forEach(v -> names.add(v.name()));
    List<Predicate<OptimizerState>> fits =
        List.of(
            state -> names.equals(state.updatedNames),
            state -> names.containsAll(state.updatedNames),
            state -> !Collections.disjoint(names, state.updatedNames));
    for (Predicate<OptimizerState> fit : fits) {
      List<OptimizerState> fitting = some.stream().filter(fit).toList();
      if (fitting.size() > 1) {
        throw ambiguous(fitting.stream().map(state -> state.name).toList());
      }
      if (fitting.size() == 1) {
        return fitting.getFirst();
      }
    }
    return firstUnnamed(optimizer);
  }

  private static ShapeException ambiguous(List<String> names) {
    return new ShapeException(
        ("[step] a restored state must belong to one optimizer; got %s for the same parameters;"
                + " restrict the optimizers with only(...) when the checkpoint is made, or name"
                + " them as in the file, with %s.")
            .formatted(
                String.join(" and ", names),
                names.stream()
                    .map("named(\"%s\")"::formatted)
                    .collect(Collectors.joining(" and "))));
  }

  /** Returns true for a state named after the class of an optimizer, with or without a number. */
  private static boolean isOfClass(OptimizerState state, Optimizer optimizer) {
    String name = optimizer.name();
    return state.name.equals(name)
        || state.name.startsWith(name + ".")
            && Checkpoint.isNumber(state.name.substring(name.length() + 1));
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
    reached.forEach(v -> state.updatedNames.add(v.name()));
    boolean meant = optimizer.isNamed() && optimizer.name().equals(state.name);
    if (!warned && isNew && !meant && !continued.contains(state)) {
      for (OptimizerState other : states.values()) {
        boolean both =
            isWaiting(other, reached) || !Collections.disjoint(updatedBy(other), reached);
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

  /** Returns true for a restored state of some parameters that no optimizer has taken over yet. */
  private static boolean isWaiting(OptimizerState state, List<Variable<?>> some) {
    return !state.isUsed()
        && !(Checkpoint.isNumber(state.name) && state.count() == 0)
        && some.stream().anyMatch(v -> state.updatedNames.contains(v.name()));
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
