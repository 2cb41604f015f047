package ristretto.symbolic.run;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.FormulaOperator;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.inspect.Part;
import ristretto.symbolic.onnx.export.OnnxOperator;
import ristretto.symbolic.state.Precision;
import ristretto.symbolic.state.TrainingState;

/**
 * Run while it is recorded: values and gradients of the variables, and the decision which of them
 * are stored in memory.
 */
public final class Recording extends OperatorContext {
  /**
   * Persistent values of an executor that a recording reads.
   *
   * @param tensors returns the memory of inputs, parameters and states
   * @param values returns the values of these: their memory, or quantized parameters
   * @param seeds returns the seed of an operator, by the operator's number
   */
  public record Persistent(
      Context ctx,
      Function<Variable<?>, Tensor<?>> tensors,
      Function<Variable<?>, Expr<?>> values,
      TrainingState training,
      StepNumbers stepNumbers,
      IntFunction<Expr<I64>> seeds) {}

  private final Persistent persistent;
  private final Graph graph;
  private final Run.Mode mode;
  private final List<Variable<?>> wanted;
  private final Precision precision;
  private final Workspace workspace;
  private final Map<Variable<?>, Expr<?>> values = new IdentityHashMap<>();
  private final Map<Variable<?>, Expr<?>> gradients = new IdentityHashMap<>();
  private final Map<Variable<?>, Tensor<?>> results = new IdentityHashMap<>();
  private final Map<Variable<?>, Tensor<?>> inputGradients = new IdentityHashMap<>();
  private final List<Variable<?>> reached = new ArrayList<>();
  private final List<InputCheck> checks = new ArrayList<>();
  private final DifferentiableValues differentiable;

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
   * @param wanted outputs of the run
   */
  public Recording(
      Persistent persistent,
      Graph graph,
      Run.Mode mode,
      List<Variable<?>> wanted,
      Precision precision) {
    this.persistent = persistent;
    this.graph = graph;
    this.mode = mode;
    this.wanted = wanted;
    this.precision = precision;
    this.workspace = new Workspace(persistent.ctx);
    this.differentiable = new DifferentiableValues(persistent.ctx, this);
  }

  public Map<Variable<?>, Tensor<?>> results() {
    return results;
  }

  public Map<Variable<?>, Tensor<?>> inputGradients() {
    return inputGradients;
  }

  /** Returns the checks of inputs before each run. */
  public List<InputCheck> checks() {
    return checks;
  }

  @Override
  public void limit(Variable<I32> lengths, long steps) {
    String name = current.name();
    limit(
        lengths,
        steps,
        length ->
            ("[%s] lengths must be from 0 to the number of steps; got %s for %s steps in %s;"
                    + " cut the lengths, or pad the sequences.")
                .formatted(name, length, steps, lengths));
  }

  @Override
  public void check(List<Variable<I32>> inputs, Consumer<int[][]> check) {
    if (!again && inputs.stream().allMatch(v -> v.kind() == Variable.Kind.INPUT)) {
      checks.add(new InputCheck(inputs, check));
    }
  }

  /** Returns the parameters whose gradients the run computes. */
  public List<Variable<?>> trained() {
    return mode == Run.Mode.EVALUATE
        ? List.of()
        : graph.of(Variable.Kind.PARAMETER).stream().filter(graph::isTrained).toList();
  }

  /** Returns the parameters for which the loss has a gradient; complete after {@link #backward}. */
  public List<Variable<?>> reached() {
    return reached;
  }

  @Override
  public boolean training() {
    return mode != Run.Mode.EVALUATE;
  }

  @Override
  public Expr<I64> seed() {
    return persistent.seeds.apply(graph.operators.indexOf(recorded("seed")));
  }

  @Override
  public <T> Tensor<T> gradientWorkspace(String name, Variable<T> input) {
    boolean own = graph.isTrained(input) && graph.readers(input).equals(List.of(current));
    return own && !precision.scales()
        ? persistent.training.gradientOf(input)
        : workspace(name, input.dtype(), get(input).shape().toArray());
  }

  @Override
  public <T> void write(Tensor<T> workspace, Expr<T> value) {
    persistent.ctx.assign(workspace, value);
  }

  @Override
  public void writeAll(List<Pair<?>> pairs) {
    persistent.ctx.assignAll(pairs.toArray(Pair[]::new));
  }

  @Override
  public void repeat(long times, IntConsumer body) {
    persistent.ctx.repeat(Math.toIntExact(times), body, (label, _) -> label);
  }

  @Override
  public Tensor<I32> stepNumbers(long steps) {
    return persistent.stepNumbers.below(steps);
  }

  /** Assigns a state in the forward pass; rematerialization must not assign it again. */
  @Override
  @SuppressWarnings("unchecked")
  public <T> void assignState(Variable<T> state, Expr<T> value) {
    if (!again) {
      persistent.ctx.assign((Tensor<T>) persistent.tensors.apply(state), value);
    }
  }

  /**
   * Returns the operator being recorded.
   *
   * @param call name of the method called, for the message
   * @throws ShapeException if an operator has kept its context and calls it later
   */
  private Operator recorded(String call) {
    if (current == null) {
      throw new ShapeException(
          "["
              + call
              + "] a context must be used by the operator that it is passed to, while the operator"
              + " is recorded; got a call from elsewhere; call set, tensor or gradientOf of the"
              + " executor there.");
    }
    return current;
  }

  /** Sets the operator that is recorded, and labels its assignments. */
  private void begin(Operator operator, Part.Pass pass) {
    current = operator;
    persistent.ctx.label(new Part(operator, pass));
  }

  public void forward() {
    for (Operator op : graph.operators) {
      begin(op, Part.Pass.FORWARD);
      forward(op);
    }
    begin(null, Part.Pass.UPDATE);
  }

  /**
   * Records the backward pass.
   *
   * @param store receives each parameter with its gradient, or null for zeros, as soon as the
   *     gradient is complete
   */
  public <T> void backward(Variable<T> loss, BiConsumer<Variable<?>, Expr<?>> store) {
    Expr<T> value = get(loss);
    if (value.shape().size() != 1) {
      throw new ShapeException(
          "[backward] the loss must be a scalar; got "
              + loss
              + " of shape "
              + value.shape()
              + "; take its sum or mean.");
    }
    gradients.put(loss, precision.first(loss.dtype(), value.shape().toArray()));
    again = true;
    differentiable.clear();
    for (Operator op : graph.operators) {
      if (op.isRecomputed() && op.outputs().stream().noneMatch(wanted::contains)) {
        op.outputs().forEach(values::remove);
      }
    }
    for (int k = graph.operators.size() - 1; k >= 0; k--) {
      Operator op = graph.operators.get(k);
      if (op.outputs().stream().anyMatch(gradients::containsKey)) {
        begin(op, Part.Pass.BACKWARD);
        backward(op);
      }
      // The gradient is complete at the first reader; storing it now shortens the live ranges of
      // its operands.
      op.inputs().stream()
          .filter(v -> graph.isFirstReader(op, v))
          .forEach(v -> store.accept(v, gradients.get(v)));
    }
    begin(null, Part.Pass.UPDATE);
    List<Variable<?>> trained = trained();
    trained.stream()
        .filter(v -> graph.readers(v).isEmpty())
        .forEach(v -> store.accept(v, gradients.get(v)));
    trained.stream().filter(gradients::containsKey).forEach(reached::add);
    requireInfluence(loss);
  }

  private void requireInfluence(Variable<?> loss) {
    if (reached.isEmpty() && graph.of(Variable.Kind.INPUT).stream().noneMatch(this::isReached)) {
      if (trained().size() < graph.of(Variable.Kind.PARAMETER).size()) {
        throw new ShapeException(
            "[backward] a parameter that is neither frozen nor left to other optimizers must"
                + " influence the loss; got "
                + loss
                + ", which none of them reaches; unfreeze a parameter that does, or use an"
                + " optimizer that updates one.");
      }
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
  public <T> void storeInput(Variable<T> v) {
    Expr<T> gradient = precision.unscaled((Expr<T>) gradients.get(v));
    Shape shape = get(v).shape();
    inputGradients.put(
        v,
        precision.lasting(gradient == null ? Ops.fill(v.dtype(), 0, shape.toArray()) : gradient));
  }

  /**
   * Returns the value of a variable; differentiable across operators if the current formula takes
   * such gradients.
   */
  @Override
  public <T> Expr<T> get(Variable<T> output) {
    requireNamed(output);
    boolean origin =
        crossing != null
            || current != null && current instanceof FormulaOperator<?> f && f.crosses();
    if (origin) {
      return differentiable.get(output);
    }
    return isUserDefined() ? closed(output) : plain(output);
  }

  /** Returns true if the current operator is of a class defined by a user. */
  private boolean isUserDefined() {
    return current != null
        && !(current instanceof FormulaOperator<?>)
        && !(current instanceof OnnxOperator);
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
          "[get] an operator must declare the variables it reads as inputs; got "
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
    return v.kind() == Variable.Kind.OUTPUT
        ? (Expr<T>) computed(v)
        : (Expr<T>) persistent.values.apply(v);
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
      backwardThrough(current);
      return current.inputs().stream().map(crossing.parts::get).toList();
    } finally {
      crossing = outer;
      current = reader;
    }
  }

  @Override
  public boolean isCrossed(Variable<?> output) {
    return crossing != null && crossing.output == output;
  }

  @Override
  public boolean wantsGradient(Variable<?> v) {
    return crossing != null ? crossing.wanted.contains(v) : graph.isLearned(v);
  }

  /**
   * Returns the value of an output; rematerializes the value if it was dropped after the forward
   * pass.
   */
  Expr<?> computed(Variable<?> variable) {
    if (!values.containsKey(variable) && again && variable.owner().isRecomputed()) {
      Operator reader = current;
      begin(variable.owner(), Part.Pass.RECOMPUTE);
      workspace.clear(current);
      forward(current);
      begin(reader, reader == null ? Part.Pass.UPDATE : Part.Pass.BACKWARD);
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

  @Override
  public <T> void assign(Variable<T> output, Expr<T> value) {
    if (output.owner() != recorded("assign")) {
      throw new ShapeException(
          "[assign] an operator may assign only its own outputs; got "
              + output
              + " in "
              + current.name()
              + ".");
    }
    if (output.dtype() != (Object) value.dtype() || !output.dims().accepts(value.shape())) {
      throw new ShapeException(
          "[%s] the value must have the output's dtype and shape; got %s%s for %s."
              .formatted(current.name(), value.dtype(), value.shape(), output));
    }
    if (wanted.contains(output)) {
      Tensor<T> t = precision.output(value);
      results.put(output, t);
      values.put(output, t);
    } else {
      values.put(output, materializeFor(output, value));
    }
  }

  @Override
  public <T> Expr<T> materializeFor(Variable<?> output, Expr<T> value) {
    return reads(output) > 1 && !RecomputeCost.isCheap(value) ? precision.keep(value) : value;
  }

  @Override
  public <T> Tensor<T> workspace(String name, DType<T> dtype, long... dims) {
    if (crossing != null) {
      throw new ShapeException(
          ("[gradient] the backward pass of an operator that a gradient is taken through must"
                  + " be made of expressions; got workspace \"%s\" in %s; make the operator with"
                  + " Layers.apply, or its backward pass without a workspace.")
              .formatted(name, current.name()));
    }
    return workspace.get(recorded("workspace"), name, dtype, Shape.of(dims));
  }

  @Override
  public <T> Expr<T> materializeUnlessCheap(Expr<T> value) {
    return RecomputeCost.isCheap(value) ? value : materialize(value);
  }

  @Override
  public <T> Expr<T> materialize(Expr<T> value) {
    if (crossing != null) {
      return differentiable.materialize(value);
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
      // Frozen parameters and inputs have no backward pass, but the reader's own parameters may.
      boolean back = training() && (again || !dropped) && isLearned(reader);
      count += (forwards ? 1 : 0) + (back && backwardReads(reader, output) ? 1 : 0);
    }
    return count + (backwards && backwardReads(output.owner(), output) ? 1 : 0);
  }

  /** Returns true if an operator has a backward pass in this run. */
  private boolean isLearned(Operator op) {
    return op.outputs().stream().anyMatch(graph::isLearned);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> Expr<T> gradient(Variable<T> output) {
    if (isCrossed(output)) {
      return (Expr<T>) crossing.dy;
    }
    var g = crossing != null ? null : (Expr<T>) gradients.get(output);
    if (g == null) {
      return Ops.fill(output.dtype(), 0, get(output).shape().toArray());
    }
    long readers = recorded("gradient").inputs().stream().filter(graph::isLearned).count();
    if (readers > 1) {
      g = materialize(g);
      gradients.put(output, g);
    }
    return g;
  }

  @Override
  public <T> void addGradients(Expr<T> y, Expr<T> dy, List<? extends Variable<?>> inputs) {
    // Variables with one value share one gradient.
    var wanting = new IdentityHashMap<Expr<?>, Variable<?>>();
    var of = new ArrayList<Expr<?>>();
    for (Variable<?> in : inputs) {
      if (wantsGradient(in) && wanting.putIfAbsent(get(in), in) == null) {
        of.add(get(in));
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

  @Override
  @SuppressWarnings("unchecked")
  public <T> void addGradient(Variable<T> input, Expr<T> part) {
    if (wantsGradient(input)) {
      var all = crossing != null ? crossing.parts : gradients;
      all.merge(input, part, (a, b) -> ((Expr<T>) a).plus((Expr<T>) b));
    }
  }

  /** Forgets values and gradients after the recording, so that their memory can be shared. */
  public void forget() {
    values.clear();
    differentiable.clear();
    closed.clear();
    gradients.clear();
    workspace.clear();
  }
}
