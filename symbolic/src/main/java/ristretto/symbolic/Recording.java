package ristretto.symbolic;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/**
 * A run while it is recorded: the values and gradients of its variables, and which of them go to
 * memory.
 */
final class Recording {
  private final Executor x;
  private final Context ctx;
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
  private Operator current;

  /** The forward pass is over: what is computed now is computed again. */
  private boolean again;

  /**
   * @param x what the operators are given
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
    this.ctx = ctx;
    this.graph = graph;
    this.mode = mode;
    this.wanted = wanted;
    this.precision = precision;
    this.rooms = new Rooms(ctx);
  }

  Map<Variable<?>, Tensor<?>> results() {
    return results;
  }

  Map<Variable<?>, Tensor<?>> inputGradients() {
    return inputGradients;
  }

  /** Limits of inputs, to be checked before each run. */
  List<Limit> limits() {
    return limits;
  }

  void limit(Variable<?> lengths, long steps) {
    if (!again && lengths.kind() == Variable.Kind.INPUT) {
      limits.add(new Limit(current.name(), lengths, steps));
    }
  }

  /** Parameters that the loss has a gradient for; complete after {@link #backward}. */
  List<Variable<?>> reached() {
    return reached;
  }

  boolean training() {
    return mode != Run.Mode.EVALUATE;
  }

  /** False while something is computed again. */
  boolean isFirst() {
    return !again;
  }

  /** Of the operator at work. */
  long number() {
    return graph.operators.indexOf(current);
  }

  /** Whether the operator at work alone reads a parameter, and once. */
  boolean isOnlyReader(Variable<?> v) {
    return v.kind() == Variable.Kind.PARAMETER && graph.readers(v).equals(List.of(current));
  }

  void forward() {
    for (Operator op : graph.operators) {
      current = op;
      op.forward(x);
    }
  }

  /**
   * @param store takes each parameter with its gradient, null for zeros, as soon as that is
   *     complete
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
      // Nothing is added later, and what it is computed from need not be kept longer.
      op.inputs().stream()
          .filter(v -> graph.isFirstReader(op, v))
          .forEach(v -> store.accept(v, gradients.get(v)));
    }
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

  /** The value of an output, computed again if it was dropped after the forward pass. */
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
    return rooms.get(current, name, dtype, shape);
  }

  <T> Expr<T> inMemory(Expr<T> value) {
    return value.inputs().isEmpty() ? value : precision.keep(value);
  }

  /** How often the value of an output is read in a run. */
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
    var g = (Expr<T>) gradients.get(output);
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
    // Variables with one value have one gradient between them.
    var wanting = new IdentityHashMap<Expr<?>, Variable<?>>();
    var of = new ArrayList<Expr<?>>();
    for (Variable<?> in : inputs) {
      if (graph.isLearned(in) && wanting.putIfAbsent(x.get(in), in) == null) {
        of.add(x.get(in));
      }
    }
    List<Optional<Expr<?>>> parts = Gradients.partialWhereReached(y, dy, of);
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
    if (graph.isLearned(input)) {
      gradients.merge(input, part, (a, b) -> ((Expr<T>) a).plus((Expr<T>) b));
    }
  }

  /** Lets go of what nobody reads later: memory that is not held is shared. */
  void forget() {
    values.clear();
    gradients.clear();
    rooms.clear();
  }
}
