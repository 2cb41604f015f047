package ristretto.expr;

import java.io.NotSerializableException;
import java.io.Serial;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.function.BiFunction;
import java.util.function.IntConsumer;
import ristretto.expr.device.DeviceSelection;
import ristretto.expr.graph.Barrier.Convolve;
import ristretto.expr.graph.Term;
import ristretto.expr.memory.MemoryWatch;
import ristretto.expr.option.Optimization;
import ristretto.expr.plan.AssignmentLowering;
import ristretto.expr.plan.LowerBarrier;
import ristretto.expr.program.CompiledPlan;
import ristretto.expr.recording.Recorder;
import ristretto.expr.recording.Update;
import ristretto.expr.type.DType;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ClosedException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.Stats;
import ristretto.kernels.device.Device;

/**
 * Device with its memory and one stream of work. A context creates tensors, evaluates expressions
 * into tensors, and records programs. Calls from several threads are serialized; open one context
 * per thread to run concurrently. Closing frees all memory; tensors and programs of a closed
 * context must not be used. An open context is closed automatically once neither the context nor
 * any of its tensors is reachable. Compiled kernels are kept for other contexts.
 *
 * @serial exclude
 */
@SuppressWarnings("serial") // is never written
public final class Context extends ContextSelections implements AutoCloseable, Serializable {
  /**
   * Unique elements of an expression.
   *
   * @param values unique elements in ascending order
   * @param indices row-major number of the first occurrence of each unique element
   * @param inverse number of the unique element of each element, in the shape of the expression
   * @param counts number of occurrences of each unique element
   */
  public record Unique<T>(
      Tensor<T> values, Tensor<I64> indices, Tensor<I64> inverse, Tensor<I64> counts) {}

  private final Session session;

  private Context(Device device) {
    this(device, MemoryWatch.ofProcess());
  }

  Context(Device device, MemoryWatch watch) {
    this.session = new Session(this, device, watch);
  }

  /** Refuses Java serialization: a context belongs to a device of this process. */
  @Serial
  private Object writeReplace() throws NotSerializableException {
    throw new NotSerializableException(
        "[serialize] a context must stay in its process, which has the device; open one where it is"
            + " needed, once per process");
  }

  /**
   * Opens the device that the system property {@code ristretto.device} or the environment variable
   * RISTRETTO_DEVICE names, or else {@code cpu}; see {@link #open(String)}.
   */
  public static Context open() {
    String name = System.getProperty("ristretto.device", System.getenv("RISTRETTO_DEVICE"));
    return open(name == null || name.isBlank() ? "cpu" : name.trim());
  }

  /**
   * Opens a device.
   *
   * @param name a kind of device whose module is present, such as {@code cpu}, with an optional
   *     {@code :index} or a word of its description, as in {@code opencl:gpu}; or {@code best}, the
   *     fastest one found
   * @throws ristretto.kernels.DeviceException if there is no such device; the message states the
   *     valid names or a remedy
   */
  public static Context open(String name) {
    return new Context(DeviceSelection.open(name));
  }

  /** The device's name: {@code cpu}. */
  public String device() {
    return session.device().name();
  }

  /**
   * Returns true if a library of this device computes this {@link Ops#convolution}, or this
   * gradient of a convolution, without copying windows.
   */
  public boolean convolves(Expr<?> convolution) {
    Term barrier = AssignmentLowering.assignedBarrier(convolution);
    return barrier != null
        && barrier.operation() instanceof Convolve c
        && LowerBarrier.isTaken(barrier, c.key(), session.device());
  }

  /** Working state, for the planner and for tensors. */
  @Override
  Session session() {
    return session;
  }

  /**
   * Preferred panel width c of this device for the right operand of many matrix products, stored as
   * {@code panels[columns / c, rows, c]}. The product is then a batch of products with panels,
   * {@code dot(a, panels)}, written to {@code y[rows, columns / c, c].permute(1, 0, 2)}. Returns 0
   * if panels are no faster than the plain matrix.
   */
  public int panelColumns(long columns) {
    return session.device().panelColumns(columns);
  }

  /** Description of the device: model, lanes or compute units, memory. */
  public String deviceDescription() {
    return session.device().description();
  }

  /**
   * Reentrant lock that each call of this context takes. A thread that holds the lock makes several
   * calls atomically with respect to other threads.
   */
  public Lock lock() {
    return session.lock();
  }

  // Tensors

  /**
   * Allocates a tensor with undefined elements.
   *
   * @throws ristretto.kernels.DeviceException if there is no memory for it
   */
  @Override
  public <T> Tensor<T> empty(DType<T> dtype, Shape shape) {
    return session.empty(dtype, shape);
  }

  @Override
  <T> Optional<Tensor<T>> wrapped(DType<T> dtype, MemorySegment data, Shape shape) {
    return session.wrapped(dtype, data, shape);
  }

  @Override
  <T> Tensor<T> room(DType<T> dtype, Shape shape) {
    return session.room(dtype, shape);
  }

  @Override
  void write(Tensor<?> t, MemorySegment values) {
    session.write(t, values);
  }

  @Override
  <T> Tensor<T> made(DType<T> dtype, Shape shape, Expr<T> values) {
    Tensor<T> t = room(dtype, shape);
    session.run(List.of(new Update(t.memory(), values)), false);
    return t;
  }

  @Override
  <T> Tensor<T> evaluated(Expr<T> expr) {
    return eval(expr);
  }

  @Override
  <T> void assigned(Tensor<T> target, Expr<T> expr) {
    assign(target, expr);
  }

  @Override
  void requireNoRecording(String op) {
    session.onRecording(_ -> {
      throw new ShapeException(
          "["
              + op
              + "] a result whose shape depends on elements cannot be recorded; compute it outside"
              + " of the recording.");
    });
  }

  // Assignment

  /**
   * Evaluates {@code expr} into {@code target}. The expression's shape must broadcast to the
   * target's. The target may be a view, and the expression may read the memory of the target: reads
   * see the old values.
   *
   * @throws ShapeException if the shapes or dtypes do not fit, if the target is a copy or repeats
   *     elements (an expanded tensor), if a tensor belongs to another context, or if an index of
   *     {@code take} or {@code scatterAdd} is out of range
   * @throws ristretto.kernels.DeviceException if there is no memory for temporaries
   */
  public <T> void assign(Tensor<T> target, Expr<T> expr) {
    session.lock().lock();
    try {
      CompiledPlan plan = session.plan(target, expr);
      if (plan != null) {
        plan.run();
      }
    } finally {
      session.unlock();
      Reference.reachabilityFence(target);
      Reference.reachabilityFence(expr);
    }
  }

  /** Fills {@code target} with a number, which must be whole unless the dtype is floating point. */
  public <T> void assign(Tensor<T> target, double value) {
    assign(target, Scalars.number(target.dtype(), value));
  }

  /**
   * Assigns to several targets of one shape, in one kernel where possible. All expressions read the
   * old values: {@code assignAll(Pair.of(x, y), Pair.of(y, x))} exchanges x and y.
   */
  public void assignAll(Pair<?>... pairs) {
    if (pairs.length == 0) {
      return;
    }
    for (Pair<?> p : pairs) {
      p.target().requireAssignable(this, p.expr());
      if (!p.target().shape().equals(pairs[0].target().shape())) {
        throw new ShapeException(
            ("[assignAll] targets must have the same shape; got %s and %s; use one assignment"
                    + " each.")
                .formatted(pairs[0].target().label(), p.target().label()));
      }
    }
    session.run(
        Arrays.stream(pairs).map(p -> new Update(p.target().memory(), p.expr())).toList(), false);
  }

  /** Evaluates {@code expr} into a new tensor; see {@link #assign(Tensor, Expr)} for errors. */
  public <T> Tensor<T> eval(Expr<T> expr) {
    return session.eval(expr);
  }

  /** Adds in place: {@code target += expr}. */
  public <T> void assignAdd(Tensor<T> target, Expr<T> expr) {
    assign(target, target.plus(expr));
  }

  /** Subtracts in place: {@code target -= expr}. */
  public <T> void assignSub(Tensor<T> target, Expr<T> expr) {
    assign(target, target.minus(expr));
  }

  /** Multiplies element-wise in place: {@code target *= expr}. */
  public <T> void assignMul(Tensor<T> target, Expr<T> expr) {
    assign(target, target.times(expr));
  }

  /** Divides element-wise in place: {@code target /= expr}. */
  public <T> void assignDiv(Tensor<T> target, Expr<T> expr) {
    assign(target, target.div(expr));
  }

  // Plans and programs

  /** Plan for the evaluation of {@code expr} into a new tensor; launches nothing. */
  public Plan explain(Expr<?> expr) {
    return session.explain(expr);
  }

  /**
   * Evaluates an expression into a new tensor immediately, even within a recording, for which the
   * tensor is a constant: for sizes and conditions that decide which expressions are built.
   *
   * @throws ristretto.kernels.ShapeException if the recording assigns an operand
   */
  public <T> Tensor<T> evalNow(Expr<T> expr) {
    return session.evalNow(expr);
  }

  /** Plan for {@code assign(target, expr)}; launches nothing. */
  public Plan explain(Tensor<?> target, Expr<?> expr) {
    return session.explain(target, expr);
  }

  /**
   * Runs {@code body} once, immediately, and records its assignments as a program that repeats them
   * without building expressions or planning. Assignments fuse with one another where shapes and
   * memory allow. Tensors that {@code eval} or {@code empty} made inside the body and that are
   * unreachable afterwards become temporaries of the program, whose elements are undefined between
   * runs; all other tensors are written on each run. Java numbers are constants of the program:
   * varying values must be tensors. Reading a tensor inside the body gives the values of the
   * recording run.
   */
  public Program record(Runnable body) {
    return record(body, new Recorder(Recorder.Mode.NOW));
  }

  /**
   * Records {@code body} as {@link #record} does, but runs no assignment: results exist after
   * {@link Program#run} only. The first run then takes no more memory than later runs, and only the
   * program is planned. The body must not read elements of tensors.
   */
  public Program recordOnly(Runnable body) {
    return record(body, new Recorder(Recorder.Mode.LATER));
  }

  /**
   * Records {@code body} as {@link #recordOnly} does, with all tensors that {@code eval} and {@code
   * empty} make inside the body as temporaries. This saves the garbage collection that would find
   * which tensors are still reachable. Elements of these tensors cannot be read afterwards.
   */
  public Program recordTransient(Runnable body) {
    return record(body, new Recorder(Recorder.Mode.LATER_KEEPING_NOTHING));
  }

  /**
   * Records consecutive parts as {@link #recordTransient} does, with one program per part. The
   * caller may read results and set operands between parts. Temporaries of one part may be read in
   * later parts: the programs keep their memory for temporaries to themselves.
   */
  public List<Program> recordParts(List<Runnable> bodies) {
    var own = new Recorder(Recorder.Mode.LATER_KEEPING_NOTHING);
    return session.recording(
        () -> inParts(own, bodies), own, (on, left) -> ProgramParts.of(on, own, left));
  }

  static void inParts(Recorder recorder, List<Runnable> bodies) {
    for (Runnable body : bodies) {
      recorder.part();
      body.run();
    }
  }

  /**
   * Runs {@code body} without its assignments: nothing is executed or planned, and tensors that the
   * body makes have no memory. For tools that examine the expressions of a computation. The body
   * must not read elements of tensors.
   */
  public void dryRun(Runnable body) {
    session.recording(
        body, new Recorder(Recorder.Mode.LATER_KEEPING_NOTHING), (_, _) -> Optional.empty());
  }

  /**
   * Allocates a tensor with undefined elements that is never a temporary of {@link
   * #recordTransient} or {@link #recordParts}: for results of a program.
   */
  public <T> Tensor<T> lasting(DType<T> dtype, Shape shape) {
    return session.lasting(dtype, shape);
  }

  /** Disables optimizations for subsequent recordings, to measure their effect. */
  public void without(Set<Optimization> some) {
    session.without(some);
  }

  /** Disabled optimizations. */
  public Set<Optimization> without() {
    return session.without();
  }

  /**
   * Sets the label of subsequent assignments of the current recording, for {@link Trace}. Has no
   * effect outside of a recording.
   */
  public void label(Object what) {
    session.onRecording(own -> own.label(what));
  }

  /**
   * Allows or forbids subsequent assignments of the current recording to write a temporary over one
   * that they read for the last time; see {@link Optimization#IN_PLACE}. Allowed by default. Has no
   * effect outside of a recording.
   */
  public void inPlace(boolean whether) {
    session.onRecording(own -> own.inPlace(whether));
  }

  /**
   * Runs a loop with trip count {@code times}; {@code body} takes the iteration number. Each
   * iteration must make the same assignments, with operand offsets that advance by a constant
   * stride, as time steps of a recurrence do. The first iteration may also create tensors that all
   * iterations use; tensors created by a later iteration must not be used outside of it.
   *
   * <p>{@link #recordTransient}, {@link #recordParts} and {@link ProgramTemplate} run {@code body}
   * for the first few of many iterations only and extrapolate the rest; a caller with side effects
   * in {@code body} must complete them afterwards. If the first iterations differ, all are run.
   *
   * @param labels maps a {@linkplain #label label} and a number of iterations to the label that
   *     many iterations later
   */
  public void repeat(int times, IntConsumer body, BiFunction<Object, Integer, Object> labels) {
    session.repeat(times, body, labels);
  }

  private Program record(Runnable body, Recorder own) {
    return session.recording(body, own, (on, left) -> new Program(on, own, left));
  }

  /**
   * Copies elements from host memory to a tensor, which may be a view.
   *
   * @param values row-major, in the bytes of the tensor's dtype
   */
  public void copy(MemorySegment values, Tensor<?> target) {
    HostTransfer.write(target, values);
  }

  /**
   * Copies the elements of a tensor, row-major, in the bytes of its dtype, to host memory.
   *
   * @throws ShapeException if the memory has another number of bytes
   */
  public void copy(Tensor<?> source, MemorySegment values) {
    HostTransfer.copy(source, values);
  }

  /** Counters of launches, compilations and memory. */
  public Stats stats() {
    return session.stats();
  }

  /** Waits until all launches have finished; reading a tensor waits implicitly. */
  public void synchronize() {
    session.device().synchronize();
  }

  /**
   * Frees the memory of all tensors of this context. Subsequent use of the context or its tensors
   * throws a {@link ClosedException}. Closing again has no effect.
   */
  @Override
  public void close() {
    session.close();
  }
}
