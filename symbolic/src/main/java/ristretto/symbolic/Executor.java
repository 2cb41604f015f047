package ristretto.symbolic;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Plan;
import ristretto.expr.Program;
import ristretto.expr.QuantizedTensor;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.kernels.block.BlockFormat;
import ristretto.symbolic.graph.Selection;
import ristretto.symbolic.graph.Shared;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.inspect.MemoryProfile;
import ristretto.symbolic.inspect.ModelPicture;
import ristretto.symbolic.inspect.ModelSummary;
import ristretto.symbolic.inspect.Profile;
import ristretto.symbolic.inspect.SummarizeModel;
import ristretto.symbolic.onnx.OnnxException;
import ristretto.symbolic.onnx.export.OnnxExport;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.run.Graph;
import ristretto.symbolic.run.NonFiniteTracer;
import ristretto.symbolic.run.QuantizedParameters;
import ristretto.symbolic.run.RandomKeys;
import ristretto.symbolic.run.Recording;
import ristretto.symbolic.run.Run;
import ristretto.symbolic.run.Session;
import ristretto.symbolic.run.Sessions;
import ristretto.symbolic.run.StepNumbers;
import ristretto.symbolic.run.UpdatePrograms;
import ristretto.symbolic.state.Checkpoint;
import ristretto.symbolic.state.Precision;
import ristretto.symbolic.state.TrainingState;

/**
 * Runs a model: holds its parameters, states and inputs, computes outputs and gradients, and
 * trains. A program is recorded once for each kind of run and combination of input shapes, and
 * replayed afterwards; intermediate values with disjoint live ranges share memory. The programs of
 * the 64 most recently used combinations are cached.
 *
 * <p>Safe for use by several threads. Each thread has its own inputs, outputs and memory, so {@code
 * set, forward, tensor} in one thread yields the outputs for the inputs set by this thread. An
 * input that only one thread sets is shared by all threads; an input that several threads set must
 * be set by each thread before each of its runs. A thread that has set no input may run with the
 * inputs of another thread, and a thread that has made no run may read the outputs of another
 * thread, as long as only one thread makes runs. Every other mixture throws an exception, rather
 * than yield the outputs of other inputs. Runs of one context are serialized. Parameters, gradients
 * and optimizers are shared by all threads: train in one thread.
 */
public final class Executor {
  private final Context ctx;
  private Graph graph;
  private final List<Variable<?>> outputs;
  private long seed;
  private final TrainingState training;
  private final Map<Variable<?>, Tensor<?>> states;
  private final Sessions sessions;
  private final StepNumbers stepNumbers;
  private final Lock lock;

  /** The lock while it is held, made once: steps allocate nothing. */
  private final Locked held;

  /** True if parameters and states belong to another executor, which trains them. */
  private final boolean shares;

  private final UpdatePrograms updates;
  private final Tensor<I64> step;
  private Set<Variable<?>> wanted = Set.of();
  private Precision precision;

  /** Quantized parameters, which take the place of those of the owner. */
  private QuantizedParameters quantized = QuantizedParameters.NONE;

  /**
   * Creates an executor with random seed 0.
   *
   * @param outputs variables that runs compute, losses included
   */
  public Executor(Context ctx, Variable<?>... outputs) {
    this(ctx, 0, outputs);
  }

  /**
   * Creates an executor and initializes all parameters and states.
   *
   * @param seed seed of the initializers and of all random numbers of operators
   * @throws ShapeException if two parameters or states have one name; {@link Shared} makes one
   *     variable of them
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
   * Creates an executor, without initializing anything.
   *
   * @param owner executor that owns the parameters and states; null if the new one owns them
   */
  private Executor(Executor owner, Context ctx, long seed, List<Variable<?>> outputs) {
    this.ctx = ctx;
    this.seed = seed;
    this.outputs = outputs;
    this.graph = new Graph(outputs);
    this.sessions = new Sessions(ctx);
    this.stepNumbers = new StepNumbers(ctx);
    this.lock = ctx.lock();
    this.held = lock::unlock;
    this.precision = Precision.full(ctx);
    this.shares = owner != null;
    this.step = shares ? owner.step : ctx.zeros(Ops.I64);
    this.training = shares ? owner.training : new TrainingState(ctx, parameters());
    this.updates = new UpdatePrograms(ctx, training);
    this.states = shares ? owner.states : new IdentityHashMap<>();
  }

  /**
   * Returns an executor for other outputs of the same model, for evaluation only. The new executor
   * has its own inputs; its parameters and states are those of this executor, which trains them.
   * Runs a part of a model alone, for example an encoder without its decoder.
   *
   * @throws ShapeException if the outputs need parameters or states that this executor does not
   *     have
   */
  public Executor sharing(Variable<?>... outputs) {
    var other = new Executor(this, ctx, seed, List.of(outputs));
    training.requireAll(other.graph.variables, states.keySet());
    return other;
  }

  /**
   * Returns an executor for the same outputs whose matrices are quantized, for evaluation only. It
   * has its own inputs. Products with a matrix decode it as they read it: it takes a quarter to a
   * seventh of the memory, and as much less time where products with few rows wait for memory.
   *
   * <p>F32 parameters of two dimensions are quantized as they are now, along the axis that products
   * sum over: tables, whose operators also have an input of indices, along their rows, and all
   * others along axis 0. Those whose extent is no multiple of the format's block stay as they are,
   * as do all other parameters; see {@link #quantizedParameters}.
   *
   * @throws ShapeException if no parameter can be quantized, or one is not finite
   */
  public Executor quantized(BlockFormat format) {
    Executor other = sharing(outputs.toArray(Variable<?>[]::new));
    other.quantized = QuantizedParameters.of(other.graph, training::parameter, format);
    return other;
  }

  /** Parameters that {@link #quantized} has quantized, by name. */
  public Map<String, QuantizedTensor> quantizedParameters() {
    return quantized.byName();
  }

  private <T> void initialize(Variable<T> v, int number) {
    Shape shape = v.dims().shape();
    Expr<F32> first = v.initializer().values(shape, RandomKeys.variable(seed, number));
    if (!first.shape().equals(shape)) {
      throw new ShapeException(
          "[%s] an initializer must yield the variable's shape; got %s for %s."
              .formatted(v.name(), first.shape(), v));
    }
    if (v.kind() == Variable.Kind.STATE) {
      states.put(v, ctx.eval(first.cast(v.dtype())));
    } else {
      ctx.assign(training.parameter(v), first.cast(v.dtype()));
    }
  }

  /**
   * Copies values to an input, for the following runs.
   *
   * @throws ShapeException if the outputs read another input of this name, or the value has another
   *     shape
   */
  public <T> void set(Variable<T> input, Expr<T> value) {
    try (Locked _ = locked()) {
      graph.requireSameInput(input);
      sessions.own().set(input, value);
    }
  }

  /**
   * Copies values from host memory to an input, for the following runs.
   *
   * @param values row-major in native byte order
   * @throws ShapeException if the outputs read another input of this name, or the value has another
   *     shape
   */
  public void set(Variable<?> input, MemorySegment values, Shape shape) {
    try (Locked _ = locked()) {
      graph.requireSameInput(input);
      sessions.own().set(input, values, shape);
    }
  }

  /**
   * Computes the outputs in evaluation mode: no dropout, batch norm with running statistics, no
   * updates.
   */
  public void forward() {
    run(Run.Mode.EVALUATE, null, null);
  }

  /** Computes the outputs in training mode, and the gradients of a scalar loss. */
  public void backward(Variable<?> loss) {
    run(Run.Mode.GRADIENTS, loss, null);
  }

  /**
   * Runs one training step: computes outputs and gradients of the loss, then updates the
   * parameters. If the loss is not finite, no parameter changes. Parameters without a gradient of
   * the loss, such as those behind {@code stopGradient}, are left unchanged.
   *
   * <p>The executor keeps a separate state and update count for each optimizer object: create the
   * optimizer once, before the loop.
   */
  public void step(Variable<?> loss, Optimizer optimizer) {
    if (optimizer == null) {
      throw new ShapeException(
          "[step] there must be an optimizer; got null; call backward(loss) for gradients without"
              + " an update.");
    }
    run(Run.Mode.TRAIN, loss, optimizer);
  }

  /**
   * Updates the parameters from the gradients of the last {@link #backward}; computes nothing else.
   * Changes only parameters that a backward pass since the last update or step has computed a
   * gradient for.
   *
   * @throws ShapeException if there are no gradients
   */
  public void update(Optimizer optimizer) {
    requireOwn("update");
    try (Locked _ = locked()) {
      training.requireGradients();
      sessions.own().requireGradients("update", null);
      updates.run(optimizer, precision);
    }
  }

  /**
   * Returns the value of an output of the last run, or of a parameter, a state or an input.
   *
   * @throws ShapeException if no run has computed the output, or if several threads make runs and
   *     the last run did not use this thread's inputs
   */
  @SuppressWarnings("unchecked")
  public <T> Tensor<T> tensor(Variable<T> variable) {
    Tensor<?> t =
        switch (variable.kind()) {
          case PARAMETER -> training.parameter(variable);
          case STATE -> states.get(variable);
          case INPUT -> session().read(variable);
          case OUTPUT -> output(variable);
        };
    if (t == null) {
      throw new ShapeException(
          variable.kind() == Variable.Kind.OUTPUT
              ? "[tensor] the variable must be an output that a run has computed; got "
                  + variable
                  + "; name it when the executor is made, and run forward() first."
              : "[tensor] the executor must have a value of the variable; got "
                  + variable
                  + (variable.kind() == Variable.Kind.INPUT
                      ? "; call set first."
                      : ", which no output reads; name an output that reads it when the executor is"
                          + " made."));
    }
    return (Tensor<T>) t;
  }

  /**
   * Makes later calls of {@link #backward} and {@link #step} also compute the gradients of inputs,
   * for {@link #gradientOf}.
   *
   * @throws ShapeException if a variable is not an input of the model, or not floating point
   */
  public void wantGradients(Variable<?>... inputs) {
    Set<Variable<?>> wanted = graph.requireInputs("wantGradients", inputs);
    try (Locked _ = locked()) {
      graph = new Graph(outputs, wanted);
      this.wanted = wanted;
      sessions.clearRuns();
    }
  }

  /**
   * Freezes parameters: later runs compute no gradients of them and change no bit of them. States,
   * such as the running statistics of batch norm, still change in training runs. Checkpoints do not
   * contain which parameters are frozen.
   *
   * @param patterns names in which {@code *} stands for any characters, dots included
   * @throws ShapeException if a pattern matches no parameter; the message names the nearest one
   */
  public void freeze(String... patterns) {
    setFrozen("freeze", patterns, true);
  }

  /**
   * Makes frozen parameters trainable again.
   *
   * @param patterns names in which {@code *} stands for any characters, dots included
   * @throws ShapeException if a pattern matches no parameter; the message names the nearest one
   */
  public void unfreeze(String... patterns) {
    setFrozen("unfreeze", patterns, false);
  }

  private void setFrozen(String op, String[] patterns, boolean frozen) {
    requireOwn(op);
    try (Locked _ = locked()) {
      training.setFrozen(Selection.of(op, patterns).among(op, parameters()), frozen);
      sessions.clearRuns();
    }
  }

  /** Returns the frozen parameters, in the order in which the model reads them. */
  public List<Variable<?>> frozen() {
    return parameters().stream().filter(training::isFrozen).toList();
  }

  /**
   * Switches to mixed precision (Micikevicius et al., 2018): from now on, F32 values and gradients
   * that pass between operators through memory are stored as F16 or BF16, which halves their
   * memory, and computed with as F32. Parameters, optimizer state and outputs keep their dtype.
   * With F16, the loss is scaled before the backward pass, so that small gradients do not
   * underflow; if a gradient still is not finite, the step changes no parameter and halves the
   * scale.
   *
   * @throws ShapeException if the dtype is neither F16 nor BF16
   */
  public void mixedPrecision(DType<?> narrow) {
    try (Locked _ = locked()) {
      precision = Precision.mixed(ctx, narrow);
      sessions.clearRuns();
      updates.clear();
    }
  }

  /**
   * Returns the gradient of a parameter, or of an input named in {@link #wantGradients}, from the
   * last run.
   *
   * @throws ShapeException if no run has computed the gradient; if the loss does not depend on the
   *     input, for which {@link #gradientOrZeroOf} yields zeros; or if several threads make runs
   *     and the last run did not use this thread's inputs
   */
  public <T> Tensor<T> gradientOf(Variable<T> variable) {
    return gradient("gradientOf", variable, false);
  }

  /**
   * Returns the gradient as {@link #gradientOf} does, and zeros for an input that the loss does not
   * depend on.
   *
   * @throws ShapeException if no run has computed the gradient, or if several threads make runs and
   *     the last run did not use this thread's inputs
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
    if (last == null && variable.kind() == Variable.Kind.PARAMETER) {
      training.requireComputed(op, variable);
    }
    Tensor<?> gradient =
        last == null ? training.gradient(variable) : last.gradient(variable, orZero);
    if (gradient == null) {
      boolean isUnwanted = variable.kind() == Variable.Kind.INPUT && !wanted.contains(variable);
      throw new ShapeException(
          ("[%s] the variable must be a parameter, or an input named by wantGradients, with a"
                  + " computed gradient; got %s; %srun backward(loss) first.")
              .formatted(op, variable, isUnwanted ? "call wantGradients with it and " : ""));
    }
    return (Tensor<T>) gradient;
  }

  /**
   * Returns the running mean of a parameter that an optimizer maintains, available after its first
   * step.
   *
   * @throws ShapeException if the optimizer maintains no running mean of the parameter
   */
  public <T> Tensor<T> average(Variable<T> parameter, Optimizer optimizer) {
    return training.average(parameter, optimizer);
  }

  /** Returns the parameters of which {@link #average} has a running mean. */
  public List<Variable<?>> averaged(Optimizer optimizer) {
    return parameters().stream().filter(v -> training.isAveraged(v, optimizer)).toList();
  }

  /**
   * Multiplies the learning rates of an optimizer, those of its groups included, from the next
   * update on; checkpoints contain the factor.
   *
   * @throws ShapeException if the factor is not positive
   */
  public void scaleRate(Optimizer optimizer, double factor) {
    requireOwn("scaleRate");
    try (Locked _ = locked()) {
      training.prepare(optimizer);
      training.optimizers().scaleRate(optimizer, factor);
    }
  }

  /** Returns the inputs that the outputs depend on. */
  public List<Variable<?>> inputs() {
    return List.copyOf(graph.of(Variable.Kind.INPUT));
  }

  /**
   * Explains a NaN or infinite loss, right after the step that yielded it: repeats the step with
   * the same inputs, parameters and random numbers, and names the first operator whose output is
   * not finite.
   */
  public String whyNotFinite(Variable<?> loss) {
    try (Locked _ = locked()) {
      var all = new LinkedHashSet<Variable<?>>(outputs);
      graph.operators.forEach(op -> all.addAll(op.outputs()));
      var again = new Executor(ctx, seed, all.toArray(Variable<?>[]::new));
      graph.variables.stream().filter(v -> v.initializer() != null).forEach(v -> copy(v, again));
      inputs().forEach(v -> again.session().use(v, tensor(v)));
      again.precision = precision.strict();
      ctx.assign(again.step, step.minus(1));
      again.backward(loss);
      return new NonFiniteTracer(ctx, again::tensor).first(inputs(), parameters(), graph.operators);
    }
  }

  private <T> void copy(Variable<T> v, Executor to) {
    ctx.assign(to.tensor(v), tensor(v));
  }

  /**
   * Writes the computation of some variables, in evaluation mode and with the current parameters,
   * as an ONNX file (operator set 19). Inputs and outputs get their variables' names; unknown
   * dimensions remain symbolic. The file is written atomically.
   *
   * @param outputs outputs of the file; all outputs of this executor if empty
   * @throws OnnxException if ONNX has no operators for the computation
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void exportOnnx(Path file, Variable<?>... outputs) {
    List<Variable<?>> chosen = outputs.length == 0 ? this.outputs : List.of(outputs);
    var all = new Graph(chosen);
    new OnnxExport(ctx, this::tensor, chosen, all.operators, all.of(Variable.Kind.INPUT))
        .write(file);
  }

  /** Returns the trainable parameters, in the order in which the model reads them. */
  public List<Variable<?>> parameters() {
    return graph.of(Variable.Kind.PARAMETER);
  }

  /** Returns the states, such as running statistics, in the order in which the model reads them. */
  public List<Variable<?>> states() {
    return graph.of(Variable.Kind.STATE);
  }

  /**
   * Returns a table of the model's inputs and operators: output shapes, parameters, floating-point
   * operations and memory of a forward pass. Operations and memory refer to the inputs that are
   * set; unknown dimensions of other inputs count as 1. Computes nothing.
   */
  public ModelSummary summary() {
    try (Locked _ = locked()) {
      var shapes = new IdentityHashMap<Variable<?>, Shape>();
      List<Tensor<?>> memory = sessions.own().memory(inputs());
      for (int k = 0; k < memory.size(); k++) {
        if (memory.get(k) != null) {
          shapes.put(inputs().get(k), memory.get(k).shape());
        }
      }
      return SummarizeModel.of(ctx, graph.operators, graph.variables, shapes);
    }
  }

  /**
   * Runs the last run of this thread again, one kernel at a time, and returns the times of the
   * kernels by the layer whose value they store. Has all effects of the run: after {@link #step}, a
   * further training step. Times contain the warm-up of new kernels; run some steps before.
   *
   * @throws ShapeException if there was no run
   */
  public Profile profile() {
    try (Locked _ = locked()) {
      Run last = sessions.own().last("profile");
      var timings = new ArrayList<Program.Timing>();
      run(last.mode(), last.loss(), last.optimizer(), program -> timings.addAll(program.measure()));
      return Profile.of(timings, sessions.own().last().program().trace());
    }
  }

  /**
   * Returns the memory of the last run of this thread: bytes of parameters and other persistent
   * tensors, and temporaries by layer. Computes nothing.
   *
   * @throws ShapeException if there was no run
   */
  public MemoryProfile memory() {
    try (Locked _ = locked()) {
      Run last = sessions.own().last("memory");
      return MemoryProfile.of(
          last.program().trace(), parameters(), states(), this::tensor, last.inputs());
    }
  }

  /**
   * Writes a picture of the model as SVG: boxes are inputs and operators, with output shapes and
   * numbers of parameters. The file is written atomically.
   *
   * @throws ShapeException if the file name does not end in {@code .svg}
   * @throws ristretto.kernels.FileException if the file cannot be written
   */
  public void picture(Path file) {
    ModelPicture.write(file, ModelPicture.svg(graph.operators, inputs(), outputs));
  }

  /** Returns the bytes of temporary memory of the last run; 0 before the first run. */
  public long temporaryBytes() {
    Run last = session().last();
    return last == null ? 0 : last.program().temporaryBytes();
  }

  /** Returns the kernels of the last run. */
  public Plan explain() {
    Run last = session().last();
    if (last == null) {
      throw new ShapeException(
          "[explain] the executor must have run before; got no run; call forward().");
    }
    return last.program().explain();
  }

  /**
   * Writes parameters, states, optimizer states and the step count to a {@code .safetensors} file,
   * and a summary for people to a {@code .json} file beside it. Each file is written atomically;
   * {@link #restore} reads only the {@code .safetensors} file.
   *
   * @throws ShapeException if two tensors have one name, or the file name has another extension
   * @throws ristretto.kernels.FileException if a file cannot be written
   */
  public void save(Path file) {
    save(file, Map.of());
  }

  /**
   * Writes a checkpoint as {@link #save(Path)} does, with notes of the caller.
   *
   * @param notes strings that {@link #restore} returns
   */
  public void save(Path file, Map<String, String> notes) {
    try (Locked _ = locked()) {
      checkpoint(file).save(seed, notes);
    }
  }

  /**
   * Restores a checkpoint of the same model that {@link #save} wrote. Training then continues with
   * bitwise the same results as without interruption. At its first use, a named optimizer takes
   * over the state of its name, and one without a name the state of its class whose parameters it
   * updates; if several states fit, that use is an error. If anything does not match, nothing
   * changes.
   *
   * @return the saved notes
   * @throws ristretto.kernels.FileFormatException if the file is damaged, or belongs to another
   *     model
   * @throws ristretto.kernels.FileException if the file cannot be read
   */
  public Map<String, String> restore(Path file) {
    try (Locked _ = locked()) {
      Checkpoint.Restored found = checkpoint(file).restore();
      training.optimizers().restored(found.unused());
      if (found.seed() != seed) {
        seed = found.seed();
        sessions.clearRuns();
      }
      return found.notes();
    }
  }

  /**
   * Loads parameters and states from a weight file of another program: {@code .safetensors}, or
   * PyTorch's {@code .pt}, {@code .pth} or {@code .bin} with a {@code state_dict} (nothing in the
   * file is executed). A sharded file of Hugging Face is named by its index ({@code
   * model.safetensors.index.json}) or by the folder that contains the index. Every parameter and
   * state must be in the file, by its name and with its shape.
   *
   * @return what was loaded, transposed, and left over in the file
   * @throws ristretto.kernels.FileFormatException if the file is damaged, or does not fit the
   *     model; then nothing changes
   * @throws ristretto.kernels.FileException if the file cannot be read
   */
  public LoadReport load(Path file) {
    return load(file, Rules.exact());
  }

  /**
   * Loads parameters and states from a weight file as {@link #load(Path)} does, with rules for
   * names, variables that the file may lack, and square matrices.
   *
   * <p>The dtypes may be other floating-point types; values are rounded to the nearest (from F64 to
   * F16 and BF16 through F32, as in PyTorch), and a finite value that would become infinite is an
   * error. A matrix whose shape in the file is that of the transposed one is transposed. The shape
   * of a square matrix does not show its layout: if it is the weight of a dense or recurrent layer,
   * it is transposed in a file of PyTorch, or if the other such weights in the file are; otherwise,
   * and if they contradict each other, a rule must decide. PyTorch's {@code running_mean} and
   * {@code running_var} are the states {@code mean} and {@code variance}. Optimizer states and the
   * step count do not change.
   *
   * @return what was loaded, transposed, and left over in the file
   * @throws ristretto.kernels.FileFormatException if the file is damaged, or does not fit the
   *     model; then nothing changes
   * @throws ristretto.kernels.FileException if the file cannot be read
   * @throws ShapeException if a pattern of the rules matches nothing in the model
   */
  public LoadReport load(Path file, Rules rules) {
    try (Locked _ = locked()) {
      List<Variable<?>> kept =
          graph.variables.stream().filter(v -> v.initializer() != null).toList();
      return new WeightLoader(ctx, file, rules, kept, graph.rightFactors()).load(this::tensor);
    }
  }

  private Checkpoint checkpoint(Path file) {
    return new Checkpoint(
        ctx,
        file,
        Checkpoint.named(graph.variables, this::tensor, step, precision),
        training.optimizers().states(),
        training.parameters());
  }

  /**
   * Returns all that training with an optimizer changes, by the names in checkpoints: parameters,
   * states, the optimizer's state, and counters. Assigning to a tensor changes the executor. So
   * other processes can compute a part of a training.
   *
   * @throws ShapeException if two tensors have one name
   */
  public Map<String, Tensor<?>> trainedTensors(Optimizer optimizer) {
    requireOwn("trainedTensors");
    try (Locked _ = locked()) {
      training.prepareAll(optimizer);
      return checkpoint(Path.of("all.safetensors")).all();
    }
  }

  // Runs

  private void run(Run.Mode what, Variable<?> loss, Optimizer optimizer) {
    run(what, loss, optimizer, Program::run);
  }

  private void run(
      Run.Mode what, Variable<?> loss, Optimizer optimizer, Consumer<Program> launches) {
    if (what != Run.Mode.EVALUATE) {
      requireOwn("backward");
    }
    try (Locked _ = locked()) {
      Session session = sessions.own();
      Run run = find(session, what, loss, optimizer);
      if (run == null) {
        long start = System.nanoTime();
        run = record(session, what, loss, optimizer);
        session.runs().add(run, inputs(), (System.nanoTime() - start) / 1e6);
      }
      for (int k = 0; k < run.checks().size(); k++) {
        run.checks().get(k).check(session);
      }
      launches.accept(run.program());
      session.ran(run);
      if (what != Run.Mode.EVALUATE) {
        training.reach(run.reached(), run.trained());
      }
      if (optimizer != null) {
        training.updated();
      }
    }
  }

  private Run record(Session session, Run.Mode what, Variable<?> loss, Optimizer optimizer) {
    requireOutput(what, loss);
    // Memory that outlives a run is allocated before the recording, to be no temporary of it.
    if (what != Run.Mode.EVALUATE) {
      training.prepare(optimizer);
    }
    var trained = new Graph(outputs, wanted, training.trained(optimizer));
    var persistent =
        new Recording.Persistent(
            ctx,
            this::tensor,
            v -> quantized.of(v).orElseGet(() -> tensor(v)),
            training,
            stepNumbers,
            operator -> step.plus(RandomKeys.operator(seed, operator)));
    var recording = new Recording(persistent, trained, what, outputs, precision);
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
          recording.trained(),
          recording.checks());
    } finally {
      precision.forget();
    }
  }

  private void requireOutput(Run.Mode what, Variable<?> loss) {
    if (what != Run.Mode.EVALUATE && (loss == null || !outputs.contains(loss))) {
      String rule = "[backward] the loss must be one of the outputs; got ";
      throw new ShapeException(rule + loss + "; name it when the executor is made.");
    }
  }

  private void requireOwn(String what) {
    if (shares) {
      throw new ShapeException(
          ("[%s] only the executor that owns the parameters may train them; got one that shares"
                  + " them; train the owner.")
              .formatted(what));
    }
  }

  /** Returns the inputs and runs of the calling thread. */
  Session session() {
    try (Locked _ = locked()) {
      return sessions.own();
    }
  }

  /** Returns the run whose value of a variable the calling thread reads, or null. */
  private Run lastRun(String op, Variable<?> variable) {
    try (Locked _ = locked()) {
      return sessions.own().read(op, variable, graph.of(Variable.Kind.INPUT));
    }
  }

  private Tensor<?> output(Variable<?> variable) {
    Run last = lastRun("tensor", variable);
    return last == null ? null : last.outputs().get(variable);
  }

  /** Returns the cached run for the current input shapes, or null; allocates nothing. */
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
        training.optimizers().updates(optimizer, made.reached());
        Optional<Expr<?>> value = Optional.of(made.get(loss));
        training.prepareUpdate(optimizer, value, precision, made.reached());
      }
      ctx.assign(step, step.plus(1));
      if (optimizer != null) {
        training.update(optimizer, made.reached());
      }
    }
    made.forget();
    precision.forget();
  }

  private void store(Variable<?> parameter, Expr<?> gradient) {
    if (gradient == null || gradient != training.gradient(parameter)) {
      training.store(parameter, precision.unscaled(gradient));
    }
  }

  /** A held lock; {@link #close} releases it. */
  private interface Locked extends AutoCloseable {
    @Override
    void close();
  }

  private Locked locked() {
    lock.lock();
    return held;
  }

  @Override
  public String toString() {
    return "executor of " + Arrays.toString(outputs.toArray());
  }
}
