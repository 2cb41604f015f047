package ristretto.symbolic.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.RightFactors;
import ristretto.symbolic.graph.Variable;

/** Operators that some variables depend on, in topological order. */
public final class Graph {
  public final List<Operator> operators = new ArrayList<>();
  public final Set<Variable<?>> variables = new LinkedHashSet<>();

  /**
   * Variables whose gradient is needed: trained parameters, wanted inputs, and floating-point
   * outputs that depend on them.
   */
  private final Set<Variable<?>> learned = Collections.newSetFromMap(new IdentityHashMap<>());

  private final Map<Variable<?>, List<Operator>> readers = new IdentityHashMap<>();

  private final Predicate<Variable<?>> trained;

  private final Map<Variable.Kind, List<Variable<?>>> byKind = new EnumMap<>(Variable.Kind.class);

  public Graph(List<? extends Variable<?>> outputs) {
    this(outputs, Set.of());
  }

  /**
   * Creates the graph of some outputs.
   *
   * @param wanted inputs whose gradients are needed too
   */
  public Graph(List<? extends Variable<?>> outputs, Set<Variable<?>> wanted) {
    this(outputs, wanted, _ -> true);
  }

  /**
   * Creates the graph of a run that trains some of the parameters.
   *
   * @param wanted inputs whose gradients are needed too
   * @param trained true for the parameters whose gradients are needed
   */
  public Graph(
      List<? extends Variable<?>> outputs,
      Set<Variable<?>> wanted,
      Predicate<Variable<?>> trained) {
    if (outputs.isEmpty()) {
      throw new ShapeException(
          "[executor] there must be an output; got none; name the losses and other variables that"
              + " runs compute.");
    }
    this.trained = trained;
    learned.addAll(wanted);
    var seen = Collections.newSetFromMap(new IdentityHashMap<Operator, Boolean>());
    var stack = new ArrayDeque<Operator>();
    for (Variable<?> output : outputs) {
      variables.add(output);
      if (output.owner() != null) {
        stack.push(output.owner());
        sort(stack, seen);
      }
    }
    for (Operator op : operators) {
      variables.addAll(op.inputs());
      variables.addAll(op.outputs());
      for (Variable<?> in : op.inputs()) {
        readers.computeIfAbsent(in, _ -> new ArrayList<>()).add(op);
        if (isTrained(in) || learned.contains(in)) {
          learned.add(in);
          op.outputs().stream().filter(v -> v.dtype().isFloat()).forEach(learned::add);
        }
      }
    }
    for (Variable.Kind kind : Variable.Kind.values()) {
      byKind.put(kind, variables.stream().filter(v -> v.kind() == kind).toList());
    }
  }

  private void sort(ArrayDeque<Operator> stack, Set<Operator> seen) {
    while (!stack.isEmpty()) {
      Operator op = stack.peek();
      Operator before = null;
      for (Variable<?> in : op.inputs()) {
        if (in.owner() != null && !seen.contains(in.owner())) {
          before = in.owner();
        }
      }
      if (before != null) {
        stack.push(before);
      } else {
        stack.pop();
        if (seen.add(op)) {
          operators.add(op);
        }
      }
    }
  }

  /**
   * Checks that parameters and states have distinct names; equal names usually mean that sharing
   * was intended.
   *
   * @throws ShapeException if two have one name
   */
  public void requireNames() {
    var named = new HashMap<String, Variable<?>>();
    for (Variable<?> v : variables) {
      Variable<?> other = v.initializer() == null ? null : named.putIfAbsent(v.name(), v);
      if (other != null) {
        throw new ShapeException(
            "[executor] parameters and states must have unique names; got "
                + other
                + " and "
                + v
                + "; rename one, or apply one layer or part twice to share its parameters: var"
                + " layer = new Dense(\"name\", 64) or var layer = Shared.of(v -> ...);"
                + " layer.of(a); layer.of(b).");
      }
    }
  }

  /**
   * Returns the given variables.
   *
   * @param op name of the operation for the message
   * @throws ShapeException if a variable is not an input, or not floating point
   */
  public Set<Variable<?>> requireInputs(String op, Variable<?>... some) {
    var inputs = Collections.newSetFromMap(new IdentityHashMap<Variable<?>, Boolean>());
    for (Variable<?> v : some) {
      if (!of(Variable.Kind.INPUT).contains(v) || !v.dtype().isFloat()) {
        throw new ShapeException(
            "[%s] the variable must be a floating-point input of the model; got %s."
                .formatted(op, v));
      }
      inputs.add(v);
    }
    return Collections.unmodifiableSet(inputs);
  }

  /**
   * Checks that the model has no other input with the name of a variable; allocates nothing if so.
   *
   * @throws ShapeException if it has one, for which a value of the variable would be ignored
   */
  public void requireSameInput(Variable<?> v) {
    List<Variable<?>> inputs = of(Variable.Kind.INPUT);
    for (int k = 0; k < inputs.size(); k++) {
      if (inputs.get(k) != v && inputs.get(k).name().equals(v.name()) && !inputs.contains(v)) {
        throw new ShapeException(
            ("[set] the variable must be the input that the outputs read; got another %s; declare"
                    + " each input once, and set this variable.")
                .formatted(v));
      }
    }
  }

  /** Returns the names of the weights that operators multiply by from the right. */
  public Set<String> rightFactors() {
    var names = new HashSet<String>();
    for (Operator op : operators) {
      if (op instanceof RightFactors weights) {
        weights.rightFactors().forEach(v -> names.add(v.name()));
      }
    }
    return names;
  }

  /** Returns true for a parameter that the run trains. */
  boolean isTrained(Variable<?> v) {
    return v.kind() == Variable.Kind.PARAMETER && trained.test(v);
  }

  boolean isLearned(Variable<?> variable) {
    return learned.contains(variable);
  }

  List<Operator> readers(Variable<?> variable) {
    return readers.getOrDefault(variable, List.of());
  }

  /** Returns true if an operator is the first reader of a trained parameter. */
  boolean isFirstReader(Operator op, Variable<?> v) {
    return isTrained(v) && readers(v).get(0) == op;
  }

  public List<Variable<?>> of(Variable.Kind kind) {
    return byKind.get(kind);
  }
}
