package ristretto.symbolic;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.function.IntConsumer;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.I32;
import ristretto.expr.I64;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Plan;
import ristretto.expr.Program;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/**
 * Runs a model: holds its parameters, states and inputs, computes its outputs and gradients, and
 * trains it. A run is recorded once for each combination of input shapes and replayed from then on;
 * values that are only read in between share memory. Runs of the 64 combinations used last are
 * kept.
 *
 * <p>Safe for use by several threads: each has inputs, outputs and memory of its own, so {@code
 * set, forward, tensor} in one thread yields the outputs of the inputs that this thread has set. An
 * input that one thread alone sets is the same for all threads; one that several threads set must
 * be set before each run by the thread that makes the run. A thread that has set no input may run
 * those of another thread, and one that has made no run may read the values of another thread's, as
 * long as one thread alone makes runs. Any other mixture is an exception, never the output of other
 * inputs. Runs of one context take turns. Parameters, gradients and optimizers are the same for all
 * threads: train in one.
 *
 * <p>An operator's {@code forward} and {@code backward} meet it as what they read values and
 * gradients from and assign them to.
 */
public final class Executor implements Values {
  private final Context ctx;
  private Graph graph;
  private final List<Variable<?>> outputs;
  private long seed;
  private final Learning learning;
  private final Map<Variable<?>, Tensor<?>> states;
  private final Sessions sessions;
  private final StepNumbers stepNumbers;
  private final Lock lock;

  /** Parameters and states are another executor's, which trains them. */
  private final boolean shares;

  private final Map<Update, Program> updates = new HashMap<>();
  private final Tensor<I64> step;
  private List<Variable<?>> wanted = List.of();
  private Precision precision;

  /** An update apart from a backward pass, of some parameters. */
  private record Update(Optimizer optimizer, List<Variable<?>> reached) {}

  /** What is recorded at the moment, or null. */
  private Recording recording;

  /**
   * @param outputs what the runs are to compute, losses included
   */
  public Executor(Context ctx, Variable<?>... outputs) {
    this(ctx, 0, outputs);
  }

  /**
   * @param seed of the first parameters and of all random numbers of operators
   * @throws ShapeException if two parameters or states have one name; {@link Shared} makes one of
   *     them
   */
  public Executor(Context ctx, long seed, Variable<?>... outputs) {
    this(null, ctx, seed, List.of(outputs));
    graph.requireNames();
    int number = 0;
    for (Variable<?> v : graph.variables) {
      if (v.initializer() != null) {
        initialize(v, number++);
      }
    }
  }

  /**
   * @param owner of the parameters and states; null if they are this one's own
   */
  private Executor(Executor owner, Context ctx, long seed, List<Variable<?>> outputs) {
    this.ctx = ctx;
    this.seed = seed;
    this.outputs = outputs;
    this.graph = new Graph(outputs);
    this.sessions = new Sessions(ctx);
    this.stepNumbers = new StepNumbers(ctx);
    this.lock = ctx.lock();
    this.precision = Precision.full(ctx);
    this.shares = owner != null;
    this.step = shares ? owner.step : ctx.zeros(Ops.I64);
    this.learning = shares ? owner.learning : new Learning(ctx, parameters());
    this.states = shares ? owner.states : new IdentityHashMap<>();
  }

  /**
   * An executor of other outputs of the same model, with inputs of its own, for use: its parameters
   * and states are those of this one, which trains them. So a part of a model runs alone, such as
   * what reads before what writes.
   *
   * @throws ShapeException if the outputs need parameters or states that this executor has not
   */
  public Executor sharing(Variable<?>... outputs) {
    var other = new Executor(this, ctx, seed, List.of(outputs));
    learning.requireAll(other.graph.variables, states.keySet());
    return other;
  }

  private <T> void initialize(Variable<T> v, int number) {
    Shape shape = v.dims().with(0);
    Expr<F32> first = v.initializer().values(shape, Keys.variable(seed, number));
    if (!first.shape().equals(shape)) {
      throw new ShapeException(
          "["
              + v.name()
              + "] an initializer must yield the variable's shape; got "
              + first.shape()
              + " for "
              + v
              + ".");
    }
    if (v.kind() == Variable.Kind.STATE) {
      states.put(v, ctx.eval(first.cast(v.dtype())));
    } else {
      ctx.assign(learning.parameter(v), first.cast(v.dtype()));
    }
  }

  // What users call

  /** Copies values to an input; a run then sees them. */
  public <T> void set(Variable<T> input, Expr<T> value) {
    lock.lock();
    try {
      sessions.own().set(input, value);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Copies values from host memory to an input.
   *
   * @param values row-major in native order
   */
  public void set(Variable<?> input, MemorySegment values, Shape shape) {
    lock.lock();
    try {
      sessions.own().set(input, values, shape);
    } finally {
      lock.unlock();
    }
  }

  /** Computes the outputs, as in use: nothing random, nothing learned. */
  public void forward() {
    run(Run.Mode.EVALUATE, null, null);
  }

  /** Computes the outputs and the gradients of a loss, a single number, as in training. */
  public void backward(Variable<?> loss) {
    run(Run.Mode.GRADIENTS, loss, null);
  }

  /**
   * One step of training: outputs, gradients of the loss, and new parameters. If the loss is not
   * finite, parameters stay as they are; so do, always, those that the loss has no gradient for,
   * such as those behind {@code stopGradient}.
   *
   * <p>Each optimizer has its own state in an executor, and counts its own updates: make it once,
   * before the loop.
   */
  public void step(Variable<?> loss, Optimizer optimizer) {
    run(Run.Mode.TRAIN, loss, optimizer);
  }

  /**
   * New parameters from the gradients that {@link #backward} computed last; nothing else is
   * computed. Parameters that no backward pass since the last update or step had a gradient for
   * stay as they are.
   *
   * @throws ShapeException if there are none
   */
  public void update(Optimizer optimizer) {
    requireOwn("update");
    lock.lock();
    try {
      learning.requireGradients();
      sessions.own().requireGradients("update", null);
      var update = new Update(optimizer, learning.reached());
      Program program = updates.get(update);
      if (program == null) {
        learning.prepare(optimizer);
        learning.optimizers().updates(optimizer, update.reached);
        program =
            ctx.recordTransient(() -> {
              learning.prepareUpdate(optimizer, Optional.empty(), precision);
              learning.update(optimizer, update.reached);
            });
        updates.put(update, program);
      }
      program.run();
      learning.updated();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The value of an output of the last run, or of a parameter, a state or an input.
   *
   * @throws ShapeException if no run has computed the output, or if several threads make runs and
   *     the last one is not that of this thread's inputs
   */
  @SuppressWarnings("unchecked")
  public <T> Tensor<T> tensor(Variable<T> variable) {
    Tensor<?> t =
        switch (variable.kind()) {
          case PARAMETER -> learning.parameter(variable);
          case STATE -> states.get(variable);
          case INPUT -> session().read(variable);
          case OUTPUT -> output(variable);
        };
    if (t == null) {
      throw new ShapeException(
          "[tensor] the variable must be an output that a run has computed; got "
              + variable
              + "; name it when the executor is made, and run forward() first.");
    }
    return (Tensor<T>) t;
  }

  /**
   * From now on {@link #backward} and {@link #step} compute the gradients of these inputs too, for
   * {@link #gradientOf}.
   *
   * @throws ShapeException if one is no input of the model, or not floating point
   */
  public void wantGradients(Variable<?>... inputs) {
    var wanted = Collections.newSetFromMap(new IdentityHashMap<Variable<?>, Boolean>());
    for (Variable<?> v : inputs) {
      if (!graph.of(Variable.Kind.INPUT).contains(v) || !v.dtype().isFloat()) {
        throw new ShapeException(
            "[wantGradients] gradients are asked for of the model's inputs, floating point; got "
                + v
                + ".");
      }
      wanted.add(v);
    }
    lock.lock();
    try {
      graph = new Graph(outputs, wanted);
      this.wanted = List.copyOf(wanted);
      sessions.clearRuns();
    } finally {
      lock.unlock();
    }
  }

  /**
   * From now on, F32 values and gradients that operators hand on through memory are kept as F16 or
   * BF16, in half of it, and computed with as F32; parameters, what optimizers keep, and outputs
   * remain as they are (Micikevicius et al., 2018). With F16, gradients are computed of the loss
   * times a scale, without which small ones would become 0. Where one is not finite for all that,
   * the step changes no parameter and the scale is halved.
   *
   * @throws ShapeException if it is neither F16 nor BF16
   */
  public void mixedPrecision(DType<?> narrow) {
    lock.lock();
    try {
      precision = Precision.mixed(ctx, narrow);
      sessions.clearRuns();
      updates.clear();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The gradient of a parameter, or of an input that {@link #wantGradients} named, as the last run
   * computed it.
   *
   * @throws ShapeException if no run has computed it; if the loss is not computed from the input,
   *     for which {@link #gradientOrZeroOf} yields zeros; or if several threads make runs and the
   *     last one is not that of this thread's inputs
   */
  public <T> Tensor<T> gradientOf(Variable<T> variable) {
    return gradient("gradientOf", variable, false);
  }

  /**
   * The gradient as {@link #gradientOf} yields; zeros for an input that the loss is not computed
   * from.
   *
   * @throws ShapeException if no run has computed it, or if several threads make runs and the last
   *     one is not that of this thread's inputs
   */
  public <T> Tensor<T> gradientOrZeroOf(Variable<T> variable) {
    return gradient("gradientOrZeroOf", variable, true);
  }

  @SuppressWarnings("unchecked")
  private <T> Tensor<T> gradient(String op, Variable<T> variable, boolean orZero) {
    Run last = variable.kind() == Variable.Kind.INPUT ? lastRun(op, variable) : null;
    if (last == null) {
      session().requireGradients(op, variable);
    }
    Tensor<?> gradient =
        last == null ? learning.gradient(variable) : last.gradient(variable, orZero);
    if (gradient == null) {
      throw new ShapeException(
          ("[%s] gradients must have been computed, of a parameter or of an input that"
                  + " wantGradients named; got %s; run backward(loss) first.")
              .formatted(op, variable));
    }
    return (Tensor<T>) gradient;
  }

  /**
   * The running mean of a parameter that an optimizer has kept, once it has made a step.
   *
   * @throws ShapeException if it keeps none
   */
  public <T> Tensor<T> average(Variable<T> parameter, Optimizer optimizer) {
    return learning.average(parameter, optimizer);
  }

  /** The inputs behind the outputs. */
  public List<Variable<?>> inputs() {
    return List.copyOf(graph.of(Variable.Kind.INPUT));
  }

  /**
   * Says where the NaN or the infinity of a loss comes from, right after a step that yielded it:
   * makes all that the step computed anew, from the same inputs, parameters and random numbers, and
   * names the first operator whose output is not finite.
   */
  public String whyNotFinite(Variable<?> loss) {
    lock.lock();
    try {
      return suspect(loss);
    } finally {
      lock.unlock();
    }
  }

  private String suspect(Variable<?> loss) {
    var all = new LinkedHashSet<Variable<?>>(outputs);
    graph.operators.forEach(op -> all.addAll(op.outputs()));
    var again = new Executor(ctx, seed, all.toArray(Variable<?>[]::new));
    graph.of(Variable.Kind.PARAMETER).forEach(v -> copy(v, again));
    graph.of(Variable.Kind.STATE).forEach(v -> copy(v, again));
    inputs().forEach(v -> again.session().use(v, tensor(v)));
    again.precision = precision.strict();
    ctx.assign(again.step, step.minus(1));
    again.backward(loss);
    return new Suspects(ctx, again::tensor)
        .first(inputs(), graph.of(Variable.Kind.PARAMETER), graph.operators);
  }

  private <T> void copy(Variable<T> v, Executor to) {
    ctx.assign(to.tensor(v), tensor(v));
  }

  /**
   * Writes what computes some variables, as in use and with the current parameters, in the ONNX
   * format (operators of version 19), which other programs run. Inputs and outputs go by their
   * variables' names; extents that are not known remain free. The file is complete or not there.
   *
   * @param outputs what the file is to compute; all outputs of this executor, if none is named
   * @throws OnnxException if ONNX has no operators for it
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void exportOnnx(Path file, Variable<?>... outputs) {
    new OnnxExport(ctx, this::tensor, outputs.length == 0 ? this.outputs : List.of(outputs))
        .write(file);
  }

  /** What is learned, in the order in which the model reads it. */
  public List<Variable<?>> parameters() {
    return graph.of(Variable.Kind.PARAMETER);
  }

  /** Bytes of memory that the last run takes for what it does not keep; 0 before any. */
  public long temporaryBytes() {
    Run last = session().last();
    return last == null ? 0 : last.program().temporaryBytes();
  }

  /** The kernels of the last run. */
  public Plan explain() {
    Run last = session().last();
    if (last == null) {
      throw new ShapeException("[explain] there must have been a run; got none; call forward().");
    }
    return last.program().explain();
  }

  /**
   * Writes parameters, states, what optimizers keep, and the number of steps to a {@code
   * .safetensors} file, and beside it a {@code .json} that tells people what is in it. Each is
   * complete or not there; {@link #restore} reads the first one alone.
   *
   * @throws ShapeException if two of them have the same name, or the file is named otherwise
   * @throws ristretto.kernels.FileException if a file cannot be written
   */
  public void save(Path file) {
    save(file, Map.of());
  }

  /**
   * The same with strings of the caller's own.
   *
   * @param notes what {@link #restore} gives back
   */
  public void save(Path file, Map<String, String> notes) {
    lock.lock();
    try {
      checkpoint(file).save(seed, notes);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reads what {@link #save} wrote, of the same model: training goes on as if it had never stopped,
   * to the same bits. Each optimizer takes up the state of its name at its first use. If anything
   * does not fit, nothing changes.
   *
   * @return the notes that were saved
   * @throws ristretto.kernels.FileFormatException if the file is damaged, or is of another model
   * @throws ristretto.kernels.FileException if it cannot be read
   */
  public Map<String, String> restore(Path file) {
    lock.lock();
    try {
      Checkpoint.Restored found = checkpoint(file).restore();
      learning.optimizers().restored(found.unused());
      if (found.seed() != seed) {
        seed = found.seed();
        sessions.clearRuns();
      }
      return found.notes();
    } finally {
      lock.unlock();
    }
  }

  private Checkpoint checkpoint(Path file) {
    return new Checkpoint(
        ctx, file, tensors(), learning.optimizers().states(), learning.parameters());
  }

  /** What lasts from run to run, but for what optimizers keep, with their variables' names. */
  private List<Checkpoint.Named> tensors() {
    var all = new ArrayList<Checkpoint.Named>();
    for (Variable<?> v : graph.variables) {
      if (v.initializer() != null) {
        all.add(new Checkpoint.Named(v.name(), v.toString(), tensor(v)));
      }
    }
    all.add(new Checkpoint.Named("executor/step", "the number of steps", step));
    all.addAll(precision.tensors());
    return all;
  }

  // Runs

  private void run(Run.Mode what, Variable<?> loss, Optimizer optimizer) {
    if (what != Run.Mode.EVALUATE) {
      requireOwn("backward");
    }
    lock.lock();
    try {
      Session session = sessions.own();
      Run run = find(session, what, loss, optimizer);
      if (run == null) {
        long start = System.nanoTime();
        run = record(session, what, loss, optimizer);
        session.runs().add(run, inputs(), (System.nanoTime() - start) / 1e6);
      }
      for (int k = 0; k < run.limits().size(); k++) {
        run.limits().get(k).check(session);
      }
      run.program().run();
      session.ran(run);
      if (what != Run.Mode.EVALUATE) {
        learning.reach(run.reached());
      }
      if (optimizer != null) {
        learning.updated();
      }
    } finally {
      lock.unlock();
    }
  }

  private Run record(Session session, Run.Mode what, Variable<?> loss, Optimizer optimizer) {
    requireOutput(loss);
    // Memory that outlives a run is made before, so that it is no part of it.
    if (what != Run.Mode.EVALUATE) {
      learning.prepare(optimizer);
    }
    recording = new Recording(this, ctx, graph, what, outputs, precision);
    try {
      Program program = ctx.recordTransient(() -> body(recording, loss, optimizer));
      return new Run(
          what,
          loss,
          optimizer,
          session.memory(inputs()),
          program,
          recording.results(),
          recording.inputGradients(),
          Run.apart(loss, wanted),
          recording.reached(),
          recording.limits());
    } finally {
      recording = null;
      precision.forget();
    }
  }

  private void requireOutput(Variable<?> loss) {
    if (loss != null && !outputs.contains(loss)) {
      throw new ShapeException(
          "[backward] the loss must be one of the outputs; got "
              + loss
              + "; name it when the executor is made.");
    }
  }

  private void requireOwn(String what) {
    if (shares) {
      throw new ShapeException(
          "["
              + what
              + "] parameters must be an executor's own; got one that shares them; train the one"
              + " that it shares them with.");
    }
  }

  /** The calling thread's inputs and runs. */
  Session session() {
    lock.lock();
    try {
      return sessions.own();
    } finally {
      lock.unlock();
    }
  }

  /** The run that the calling thread reads a value of, or null. */
  private Run lastRun(String op, Variable<?> variable) {
    lock.lock();
    try {
      return sessions.own().read(op, variable, graph.of(Variable.Kind.INPUT));
    } finally {
      lock.unlock();
    }
  }

  private Tensor<?> output(Variable<?> variable) {
    Run last = lastRun("tensor", variable);
    return last == null ? null : last.outputs().get(variable);
  }

  /** A recorded run, or null; allocates nothing. */
  private Run find(Session session, Run.Mode what, Variable<?> loss, Optimizer optimizer) {
    List<Variable<?>> inputs = graph.of(Variable.Kind.INPUT);
    session.require(inputs);
    return session.runs().find(what, loss, optimizer, inputs, session);
  }

  private void body(Recording made, Variable<?> loss, Optimizer optimizer) {
    made.forward();
    if (made.training()) {
      made.backward(loss, this::store);
      wanted.forEach(made::storeInput);
      if (optimizer != null) {
        learning.optimizers().updates(optimizer, made.reached());
        learning.prepareUpdate(optimizer, Optional.of(get(loss)), precision);
      }
      ctx.assign(step, step.plus(1));
      if (optimizer != null) {
        learning.update(optimizer, made.reached());
      }
    }
    made.forget();
    precision.forget();
  }

  private void store(Variable<?> parameter, Expr<?> gradient) {
    if (gradient == null || gradient != learning.gradient(parameter)) {
      learning.store(parameter, precision.unscaled(gradient));
    }
  }

  // What operators call

  /**
   * @throws ShapeException if nothing is recorded
   */
  private Recording recording(String what) {
    if (recording == null) {
      throw new ShapeException(
          "["
              + what
              + "] it must be called by an operator that is being recorded; got a call from"
              + " elsewhere; call set, tensor or gradientOf there.");
    }
    return recording;
  }

  @Override
  public <T> Expr<T> get(Variable<T> variable) {
    boolean given = variable.kind() != Variable.Kind.OUTPUT;
    return given && recording == null ? tensor(variable) : recording("get").value(variable);
  }

  @Override
  public boolean training() {
    return recording != null && recording.training();
  }

  @Override
  public Expr<I64> seed() {
    return step.plus(Keys.operator(seed, recording("seed").number()));
  }

  /**
   * Gives an output its value. Whether it goes to memory, or is computed inside the kernels that
   * read it, follows from what reads it.
   */
  public <T> void assign(Variable<T> output, Expr<T> value) {
    recording("assign").assign(output, value);
  }

  /**
   * For an operator whose output is cheap to compute from some value that is not: puts that value
   * into memory if the output is read more than once.
   */
  public <T> Expr<T> keep(Variable<?> output, Expr<T> value) {
    return recording("keep").keep(output, value);
  }

  /**
   * Memory of the current operator for the time of a run, not set at first; the same for the same
   * name in forward and backward.
   *
   * @throws ShapeException if it has another dtype or shape already
   */
  public <T> Tensor<T> room(String name, DType<T> dtype, long... dims) {
    return recording("room").room(name, dtype, Shape.of(dims));
  }

  /**
   * Memory for the gradient of an input, to be given to {@link #addGradient}: that of the parameter
   * itself where nobody else adds to it, or a {@link #room}.
   */
  <T> Tensor<T> gradientRoom(String name, Variable<T> input) {
    boolean own = recording("gradientRoom").isOnlyReader(input) && !precision.scales();
    return own
        ? learning.gradientOf(input)
        : room(name, input.dtype(), get(input).shape().toArray());
  }

  /** Assigns to a {@link #room}, or to a part of one. */
  public <T> void write(Tensor<T> room, Expr<T> value) {
    ctx.assign(room, value);
  }

  /** Assigns to several, of one shape, in one kernel where possible. */
  public void writeAll(List<Pair<?>> pairs) {
    ctx.assignAll(pairs.toArray(Pair[]::new));
  }

  /**
   * Runs a body for each step below {@code times}, which must do the same each time, with operands
   * that are further on by the same distance: of many steps it is run for the first few only; see
   * {@link Context#repeat}.
   */
  void repeat(long times, IntConsumer body) {
    ctx.repeat(Math.toIntExact(times), body, (label, _) -> label);
  }

  /** Says that lengths of sequences, if they are an input, must be at most {@code steps}. */
  void limit(Variable<I32> lengths, long steps) {
    recording("limit").limit(lengths, steps);
  }

  /** Numbers of the steps of a sequence, {@code [steps, 1, 1]}. */
  Tensor<I32> stepNumbers(long steps) {
    return stepNumbers.below(steps);
  }

  /** The same value in memory, if it takes more than a copy to compute it. */
  public <T> Expr<T> inMemory(Expr<T> value) {
    return recording("inMemory").inMemory(value);
  }

  /** Changes a state, for later runs. */
  public <T> void assignState(Variable<T> state, Expr<T> value) {
    if (recording("assignState").isFirst()) {
      ctx.assign(tensor(state), value);
    }
  }

  /** True if the gradient of an input is of use. */
  public boolean wantsGradient(Variable<?> variable) {
    return recording == null ? graph.isLearned(variable) : recording.wants(variable);
  }

  /** True if a gradient is being taken across an output's operator, through that output. */
  boolean isCrossed(Variable<?> output) {
    return recording("isCrossed").isCrossed(output);
  }

  /** The gradient of an output. */
  public <T> Expr<T> gradient(Variable<T> output) {
    return recording("gradient").gradient(output);
  }

  /**
   * Adds to the gradients of inputs what follows from an expression of their values.
   *
   * @param y computed from {@code get} of the inputs
   * @param dy its gradient
   */
  public <T> void addGradients(Expr<T> y, Expr<T> dy, List<? extends Variable<?>> inputs) {
    recording("addGradients").addGradients(y, dy, inputs);
  }

  /** Adds to the gradient of an input; what no parameter influences is left out. */
  public <T> void addGradient(Variable<T> input, Expr<T> part) {
    recording("addGradient").addGradient(input, part);
  }

  @Override
  public String toString() {
    return "executor of " + Arrays.toString(outputs.toArray());
  }
}
