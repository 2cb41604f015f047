package ristretto.symbolic;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/**
 * Run while it is recorded: values and gradients of the variables, and the decision which of them
 * are stored in memory.
 */
final class Recording {
  private final Executor x;
  private final Graph graph;
  private final Run.Mode mode;
  private final List<Variable<?>> wanted;
  private final Precision precision;
  private final Rooms rooms;
  private final Map<Variable<?>, Expr<?>> values = new IdentityHashMap<>();
  private final Map<Variable<?>, Expr<?>> gradients = new IdentityHashMap<>();
  private final Map<Variable<?>, Tensor<?>> results = new IdentityHashMap<>();
  private final Map<Variable<?>, Tensor<?>> inputGradients = new IdentityHashMap<>();
  private final List<Variable<?>> reached = new ArrayList<>();
  private final List<Limit> limits = new ArrayList<>();
  private final Linked linked;

  /** Expressions of outputs that user-defined operator classes read. */
  private final Map<Variable<?>, Expr<?>> closed = new IdentityHashMap<>();

  private Operator current;

  /** Gradient across an operator that is being taken, or null. */
  private Crossing crossing;

  /** True after the forward pass, when calls of an operator's forward are rematerialization. */
  private boolean again;

  /**
   * Creates a recording.
   *
   * @param x executor passed to the operators
   * @param wanted outputs of the run
   */
  Recording(
      Executor x,
      Context ctx,
      Graph graph,
      Run.Mode mode,
      List<Variable<?>> wanted,
      Precision precision) {
    this.x = x;
    this.graph = graph;
    this.mode = mode;
    this.wanted = wanted;
    this.precision = precision;
    this.rooms = new Rooms(ctx);
    this.linked = new Linked(ctx, this);
  }

  Map<Variable<?>, Tensor<?>> results() {
    return results;
  }

  Map<Variable<?>, Tensor<?>> inputGradients() {
    return inputGradients;
  }

  /** Returns the limits of inputs to be checked before each run. */
  List<Limit> limits() {
    return limits;
  }

  void limit(Variable<?> lengths, long steps) {
    if (!again && lengths.kind() == Variable.Kind.INPUT) {
      limits.add(new Limit(current.name(), lengths, steps));
    }
  }

  /** Returns the parameters for which the loss has a gradient; complete after {@link #backward}. */
  List<Variable<?>> reached() {
    return reached;
  }

  boolean training() {
    return mode != Run.Mode.EVALUATE;
  }

  /** Returns true during the forward pass, false during backward pass and rematerialization. */
  boolean isFirst() {
    return !again;
  }

  /** Returns the number of the current operator. */
  int number() {
    return graph.operators.indexOf(current);
  }

  /** Returns true if a variable is a parameter with the current operator as its only reader. */
  boolean isOnlyReader(Variable<?> v) {
    return v.kind() == Variable.Kind.PARAMETER && graph.readers(v).equals(List.of(current));
  }

  void forward() {
    for (Operator op : graph.operators) {
      current = op;
      op.forward(x);
    }
    current = null;
  }

  /**
   * Records the backward pass.
   *
   * @param store receives each parameter with its gradient, or null for zeros, as soon as the
   *     gradient is complete
   */
  <T> void backward(Variable<T> loss, BiConsumer<Variable<?>, Expr<?>> store) {
    Expr<T> value = x.get(loss);
    if (value.shape().size() != 1) {
      throw new ShapeException(
          "[backward] a loss must be a single number; got "
              + loss
              + " of shape "
              + value.shape()
              + "; sum it up or take its mean.");
    }
    gradients.put(loss, precision.first(loss.dtype(), value.shape().toArray()));
    again = true;
    linked.clear();
    for (Operator op : graph.operators) {
      if (op.isRecomputed() && op.outputs().stream().noneMatch(wanted::contains)) {
        op.outputs().forEach(values::remove);
      }
    }
    for (int k = graph.operators.size() - 1; k >= 0; k--) {
      Operator op = graph.operators.get(k);
      if (op.outputs().stream().anyMatch(gradients::containsKey)) {
        current = op;
        op.backward(x);
      }
      // The gradient is complete at the first reader; storing it now shortens the live ranges of
      // its operands.
      op.inputs().stream()
          .filter(v -> graph.isFirstReader(op, v))
          .forEach(v -> store.accept(v, gradients.get(v)));
    }
    current = null;
    graph.of(Variable.Kind.PARAMETER).stream()
        .filter(v -> graph.readers(v).isEmpty())
        .forEach(v -> store.accept(v, gradients.get(v)));
    graph.of(Variable.Kind.PARAMETER).stream().filter(gradients::containsKey).forEach(reached::add);
    requireInfluence(loss);
  }

  private void requireInfluence(Variable<?> loss) {
    if (reached.isEmpty() && graph.of(Variable.Kind.INPUT).stream().noneMatch(this::isReached)) {
      throw new ShapeException(
          "[backward] a parameter, or an input that wantGradients named, must influence the loss;"
              + " got "
              + loss
              + ", which none of them reaches; compute it from a parameter, without stopGradient in"
              + " between.");
    }
  }

  private boolean isReached(Variable<?> input) {
    return gradients.containsKey(input);
  }

  @SuppressWarnings("unchecked")
  <T> void storeInput(Variable<T> v) {
    Expr<T> gradient = precision.unscaled((Expr<T>) gradients.get(v));
    Shape shape = x.get(v).shape();
    inputGradients.put(
        v,
        precision.lasting(gradient == null ? Ops.fill(v.dtype(), 0, shape.toArray()) : gradient));
  }

  /**
   * Returns the value of a variable; differentiable across operators if the current formula takes
   * such gradients.
   */
  <T> Expr<T> value(Variable<T> output) {
    requireNamed(output);
    boolean origin = crossing != null || current != null && current.crosses();
    if (origin) {
      return linked.get(output);
    }
    return current != null && current.isOfUsers() ? closed(output) : plain(output);
  }

  /**
   * Checks that the current operator declares a variable as input or output, so that gradients are
   * propagated through the variable.
   *
   * @throws ShapeException if not
   */
  private void requireNamed(Variable<?> v) {
    boolean named =
        current == null || current.inputs().contains(v) || current.outputs().contains(v);
    if (!named) {
      throw new ShapeException(
          "[get] an operator must name what it reads as its inputs; got "
              + v
              + " in "
              + current.name()
              + ".");
    }
  }

  /**
   * Returns the value of a variable for user-defined operator classes. The value depends on the
   * inputs of its operator, but throws if a gradient is taken across that operator.
   */
  @SuppressWarnings("unchecked")
  private <T> Expr<T> closed(Variable<T> v) {
    Expr<T> value = plain(v);
    if (v.kind() != Variable.Kind.OUTPUT) {
      return value;
    }
    var known = (Expr<T>) closed.get(v);
    if (known == null || Gradients.values(known) != Gradients.values(value)) {
      known =
          Gradients.custom(
              value,
              () -> v.owner().inputs().stream().<Expr<?>>map(this::closed).toList(),
              (_, _) -> refuseCrossing(v));
      closed.put(v, known);
    }
    return known;
  }

  private List<Expr<?>> refuseCrossing(Variable<?> output) {
    throw new ShapeException(
        "[gradient] an operator class must not take gradients across other operators; got "
            + current.name()
            + ", which takes one across the operator of "
            + output
            + "; make it with Layers.apply.");
  }

  /** Returns the value of a variable without a link to the operator that computed it. */
  @SuppressWarnings("unchecked")
  <T> Expr<T> plain(Variable<T> v) {
    return v.kind() == Variable.Kind.OUTPUT ? (Expr<T>) computed(v) : x.tensor(v);
  }

  /**
   * Gradient across an operator that a formula takes.
   *
   * @param wanted inputs whose gradients are needed
   * @param parts gradients of the inputs
   */
  private record Crossing(
      Variable<?> output, Expr<?> dy, Set<Variable<?>> wanted, Map<Variable<?>, Expr<?>> parts) {}

  /**
   * Returns the backward pass of an output's operator as expressions.
   *
   * @param wanted true for the numbers of inputs whose gradients are needed
   * @return gradients of the operator's inputs; null for inputs without gradient
   */
  <T> List<? extends Expr<?>> across(Variable<T> output, Expr<T> dy, IntPredicate wanted) {
    Crossing outer = crossing;
    Operator reader = current;
    current = output.owner();
    crossing = new Crossing(output, dy, new HashSet<>(), new IdentityHashMap<>());
    try {
      for (int k = 0; k < current.inputs().size(); k++) {
        if (wanted.test(k)) {
          crossing.wanted.add(current.inputs().get(k));
        }
      }
      current.backwardThrough(x);
      return current.inputs().stream().map(crossing.parts::get).toList();
    } finally {
      crossing = outer;
      current = reader;
    }
  }

  /** Returns true if a gradient is being taken across an output's operator, through that output. */
  boolean isCrossed(Variable<?> output) {
    return crossing != null && crossing.output == output;
  }

  /** Returns true if the gradient of a variable is needed. */
  boolean wants(Variable<?> v) {
    return crossing != null ? crossing.wanted.contains(v) : graph.isLearned(v);
  }

  /**
   * Returns the value of an output; rematerializes the value if it was dropped after the forward
   * pass.
   */
  Expr<?> computed(Variable<?> variable) {
    if (!values.containsKey(variable) && again && variable.owner().isRecomputed()) {
      Operator reader = current;
      current = variable.owner();
      rooms.clear(current);
      current.forward(x);
      current = reader;
    }
    Expr<?> value = values.get(variable);
    if (value == null) {
      throw new ShapeException(
          "[get] an operator must assign its outputs in forward; got no value of "
              + variable
              + ".");
    }
    return value;
  }

  <T> void assign(Variable<T> output, Expr<T> value) {
    if (output.owner() != current) {
      throw new ShapeException(
          "[assign] an operator assigns its own outputs; got "
              + output
              + " in "
              + current.name()
              + ".");
    }
    if (output.dtype() != (Object) value.dtype() || !output.dims().accepts(value.shape())) {
      throw new ShapeException(
          "["
              + current.name()
              + "] the value must have the output's dtype and shape; got "
              + value.dtype()
              + value.shape()
              + " for "
              + output
              + ".");
    }
    if (wanted.contains(output)) {
      Tensor<T> t = precision.output(value);
      results.put(output, t);
      values.put(output, t);
    } else {
      values.put(output, keep(output, value));
    }
  }

  <T> Expr<T> keep(Variable<?> output, Expr<T> value) {
    return reads(output) > 1 && !Cost.isCheap(value) ? precision.keep(value) : value;
  }

  <T> Tensor<T> room(String name, DType<T> dtype, Shape shape) {
    if (crossing != null) {
      throw new ShapeException(
          "[gradient] the backward pass of an operator that a gradient is taken through must be"
              + " made of expressions; got room \""
              + name
              + "\" in "
              + current.name()
              + "; make the operator with Layers.apply, or its backward pass without rooms.");
    }
    return rooms.get(current, name, dtype, shape);
  }

  <T> Expr<T> inMemory(Expr<T> value) {
    if (crossing != null) {
      return linked.inMemory(value);
    }
    return Gradients.values(value).inputs().isEmpty() ? value : precision.keep(value);
  }

  /** Returns the number of reads of an output's value in a run. */
  private int reads(Variable<?> output) {
    boolean dropped = output.owner().isRecomputed() && !wanted.contains(output);
    boolean backwards = training() && graph.isLearned(output) && (again || !dropped);
    boolean forwards = !again || !dropped;
    int count = 0;
    for (Operator reader : graph.readers(output)) {
      count += (forwards ? 1 : 0) + (backwards && reader.backwardReads(output) ? 1 : 0);
    }
    return count + (backwards && output.owner().backwardReads(output) ? 1 : 0);
  }

  @SuppressWarnings("unchecked")
  <T> Expr<T> gradient(Variable<T> output) {
    if (isCrossed(output)) {
      return (Expr<T>) crossing.dy;
    }
    var g = crossing != null ? null : (Expr<T>) gradients.get(output);
    if (g == null) {
      return Ops.fill(output.dtype(), 0, x.get(output).shape().toArray());
    }
    long readers = current.inputs().stream().filter(graph::isLearned).count();
    if (readers > 1) {
      g = inMemory(g);
      gradients.put(output, g);
    }
    return g;
  }

  <T> void addGradients(Expr<T> y, Expr<T> dy, List<? extends Variable<?>> inputs) {
    // Variables with one value share one gradient.
    var wanting = new IdentityHashMap<Expr<?>, Variable<?>>();
    var of = new ArrayList<Expr<?>>();
    for (Variable<?> in : inputs) {
      if (wants(in) && wanting.putIfAbsent(x.get(in), in) == null) {
        of.add(x.get(in));
      }
    }
    List<Optional<Expr<?>>> parts = Gradients.partialWhereReached(y, dy, of, closed.values());
    for (int k = 0; k < of.size(); k++) {
      Variable<?> input = wanting.get(of.get(k));
      parts.get(k).ifPresent(part -> addPart(input, part));
    }
  }

  @SuppressWarnings("unchecked")
  private <T> void addPart(Variable<T> input, Expr<?> part) {
    addGradient(input, (Expr<T>) part);
  }

  @SuppressWarnings("unchecked")
  <T> void addGradient(Variable<T> input, Expr<T> part) {
    if (wants(input)) {
      var all = crossing != null ? crossing.parts : gradients;
      all.merge(input, part, (a, b) -> ((Expr<T>) a).plus((Expr<T>) b));
    }
  }

  /** Forgets values and gradients after the recording, so that their memory can be shared. */
  void forget() {
    values.clear();
    linked.clear();
    closed.clear();
    gradients.clear();
    rooms.clear();
  }
}
