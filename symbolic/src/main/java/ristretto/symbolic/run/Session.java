package ristretto.symbolic.run;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/**
 * Inputs and recorded runs of one thread in an executor. Their memory is not used by runs of other
 * threads, so threads do not see each other's values.
 */
public final class Session {
  private final Context ctx;
  private final Sessions others;
  private WeakReference<Thread> thread;

  /**
   * Input buffers by shape. Weak references: a buffer is freed when neither a run nor the input
   * holds it.
   */
  private final Map<Variable<?>, Map<Shape, WeakReference<Tensor<?>>>> memory =
      new IdentityHashMap<>();

  private final Map<Variable<?>, InputValue> given = new IdentityHashMap<>();
  private final RunCache runs = new RunCache();

  /** Last run, or null. */
  private Run last;

  /** False if the inputs of the last run were set by other threads. */
  private boolean own;

  /** Event numbers of the last value set, the last run and the last backward pass. */
  private long setAt;

  private long ranAt;
  private long backwardAt;

  Session(Context ctx, Sessions others) {
    this.ctx = ctx;
    this.others = others;
    this.thread = new WeakReference<>(Thread.currentThread());
  }

  boolean isOf(Thread other) {
    return thread.refersTo(other);
  }

  /** Returns true if the thread has ended, so that another one may take over this session. */
  boolean isFree() {
    Thread thread = this.thread.get();
    return thread == null || !thread.isAlive();
  }

  void take(Thread other) {
    thread = new WeakReference<>(other);
    given.clear();
    last = null;
    setAt = 0;
    backwardAt = 0;
  }

  public RunCache runs() {
    return runs;
  }

  /** Returns the last run of this thread; that of any thread if this one has made none; or null. */
  public Run last() {
    return last == null ? others.last() : last;
  }

  /**
   * Returns the last run as {@link #last()} does.
   *
   * @param op name of the operation for the message
   * @throws ShapeException if there was no run
   */
  public Run last(String op) {
    Run run = last();
    if (run == null) {
      throw new ShapeException(
          "[%s] the executor must have run before; got no run; call forward() or step."
              .formatted(op));
    }
    return run;
  }

  /** Returns true if a thread has made a run in this session. */
  boolean hasRun() {
    return ranAt > 0;
  }

  /** Returns true if the thread of this session has made a run and has not ended. */
  boolean isOfRunner() {
    return last != null && !isFree();
  }

  public void ran(Run run) {
    last = run;
    own = setsAny(run.inputs());
    ranAt = others.ran(run, own, thread);
    if (run.mode() != Run.Mode.EVALUATE) {
      backwardAt = ranAt;
    }
  }

  /** Returns true if this thread has set inputs, or the model has none. */
  private boolean setsAny(List<?> inputs) {
    return inputs.isEmpty() || !given.isEmpty();
  }

  /**
   * Returns the run whose values this thread reads, or null. Once several threads have made runs,
   * the run must have read the inputs that this thread has set last; a run of another thread does
   * not count as one of this thread.
   *
   * @param op name of the operation for the message
   * @param inputs inputs of the model
   * @throws ShapeException if this thread has set an input since the run, or the run read another
   *     value of it; or if it is ambiguous which thread's run is meant
   */
  public Run read(String op, Variable<?> variable, List<Variable<?>> inputs) {
    Run run = last();
    boolean outdated =
        last != null
            ? setAt > ranAt && others.ranApartFrom(this)
            : run != null && (setAt > others.lastAt() || !isReadBy(run, inputs));
    if (outdated) {
      throw new ShapeException(
          ("[%s] a thread that has set inputs must run them before it reads values of a run, if"
               + " other threads make runs too; got %s, whose last run for this thread did not read"
               + " its inputs; call set, forward and %s in one thread.")
              .formatted(op, variable, op));
    }
    boolean ambiguous = last != null ? !own && others.lastAt() > ranAt : others.isLastOfSeveral();
    if (ambiguous) {
      throw new ShapeException(
          ("[%s] values of a run must be read by the thread that set its inputs and made it, if"
                  + " several threads make runs; got %s in a thread that has not; call set, forward"
                  + " and %s in one thread.")
              .formatted(op, variable, op));
    }
    return run;
  }

  /**
   * Checks that the gradients of parameters were computed by this thread, if this thread or several
   * threads have computed gradients.
   *
   * @param of variable for the message; null for all
   */
  public void requireGradients(String op, Variable<?> of) {
    LatestEvent all = others.backwardPasses();
    if (!all.isBy(thread) && (backwardAt > 0 || all.isOfSeveral())) {
      throw new ShapeException(
          ("[%s] gradients must be used by the thread that computed them, if several threads"
               + " compute gradients; got %s, computed by another thread; call backward and %s in"
               + " one thread.")
              .formatted(op, of == null ? "gradients" : "the gradient of " + of, op));
    }
  }

  /** Returns true if a run reads all values that this thread has set. */
  private boolean isReadBy(Run run, List<Variable<?>> inputs) {
    for (int k = 0; k < inputs.size(); k++) {
      InputValue own = given.get(inputs.get(k));
      if (own != null && own.value() != run.inputs().get(k)) {
        return false;
      }
    }
    return true;
  }

  public <T> void set(Variable<T> input, Expr<T> value) {
    require(input, value.shape());
    Tensor<T> buffer = buffer(input, value.shape());
    ctx.assign(buffer, value);
    use(input, buffer);
  }

  public void set(Variable<?> input, MemorySegment values, Shape shape) {
    require(input, shape);
    Tensor<?> buffer = buffer(input, shape);
    ctx.copy(values, buffer);
    InputValue before = given.get(input);
    boolean checked = before != null && before.isChecked();
    use(input, buffer, checked ? ints(values, shape) : null);
  }

  private static int[] ints(MemorySegment values, Shape shape) {
    return values.asSlice(0, shape.size() * Integer.BYTES).toArray(ValueLayout.JAVA_INT_UNALIGNED);
  }

  /** Sets an input to a tensor without copying. */
  public void use(Variable<?> input, Tensor<?> value) {
    use(input, value, null);
  }

  private void use(Variable<?> input, Tensor<?> value, int[] host) {
    setAt = others.gave(input, value, host, thread);
    given.computeIfAbsent(input, _ -> new InputValue()).give(value, host, thread, setAt);
  }

  /** Returns the elements of the I32 value that a run of this thread reads. */
  int[] elements(Variable<?> input) {
    return latest(input).elements();
  }

  /**
   * Returns the value that this thread has set an input to last; the last value from any thread if
   * this one has set none; or null.
   */
  Tensor<?> get(Variable<?> input) {
    InputValue latest = latest(input);
    return latest == null ? null : latest.value();
  }

  /**
   * Returns the value that a run of this thread would read.
   *
   * @throws ShapeException if this thread has set no value, and several others have
   */
  public Tensor<?> read(Variable<?> input) {
    InputValue latest = latest(input);
    if (latest != null && latest.isOfSeveral()) {
      throw new ShapeException(
          "[tensor] an input that several threads set must be read by a thread that has set it; got"
              + " "
              + input
              + " in a thread that has not; call set and tensor in one thread.");
    }
    return get(input);
  }

  private InputValue latest(Variable<?> input) {
    InputValue mine = given.get(input);
    return mine == null ? others.given(input) : mine;
  }

  /** Returns the event number of the value that this thread reads of an input. */
  long version(Variable<?> input) {
    return latest(input).at();
  }

  /**
   * Checks that a run of this thread reads the intended inputs; allocates nothing if so. A value
   * set by another thread is valid if only one thread sets the input. A value set by this thread is
   * valid for its next run, and for later runs as long as no other thread sets the input.
   *
   * @param inputs inputs of the model
   * @throws ShapeException if an input has no value, or one that another thread has set
   */
  public void require(List<Variable<?>> inputs) {
    for (int k = 0; k < inputs.size(); k++) {
      InputValue mine = given.get(inputs.get(k));
      InputValue latest = others.given(inputs.get(k));
      if (latest == null) {
        throw new ShapeException(
            "[run] every input must have a value; got none for "
                + inputs.get(k)
                + (isNamedAgain(inputs, k)
                    ? ", although another input has this name; declare each input once."
                    : "; call set first."));
      }
      boolean fresh = mine != null && mine.at() > ranAt;
      if (!fresh && latest.isOfSeveral() && !latest.isBy(thread)) {
        throw new ShapeException(
            "[run] an input that several threads set must be set before each run by the thread that"
                + " makes the run; got "
                + inputs.get(k)
                + ", which another thread has set last; call set, forward and tensor in one"
                + " thread.");
      }
    }
    if (!setsAny(inputs) && others.othersRunApartFrom(this)) {
      throw new ShapeException(
          "[run] a thread must set inputs before it makes a run, if other threads make runs too;"
              + " got a thread that has set none; call set, forward and tensor in one thread, or"
              + " make another executor with sharing.");
    }
  }

  private static boolean isNamedAgain(List<Variable<?>> inputs, int k) {
    String name = inputs.get(k).name();
    return inputs.stream().filter(v -> v.name().equals(name)).count() > 1;
  }

  /** Returns the current tensors of inputs. */
  public List<Tensor<?>> memory(List<Variable<?>> inputs) {
    List<Tensor<?>> all = new ArrayList<>();
    inputs.forEach(v -> all.add(get(v)));
    return all;
  }

  private static void require(Variable<?> input, Shape shape) {
    if (input.kind() != Variable.Kind.INPUT) {
      throw new ShapeException(
          "[set] the variable must be an input; got " + input + "; assign to tensor(variable).");
    }
    if (!input.dims().accepts(shape)) {
      throw new ShapeException(
          "[set] the value must have the input's shape; got "
              + shape
              + " for "
              + input
              + "; reshape the value, or declare the input with these extents.");
    }
  }

  @SuppressWarnings("unchecked")
  private <T> Tensor<T> buffer(Variable<T> input, Shape shape) {
    Map<Shape, WeakReference<Tensor<?>>> buffers =
        memory.computeIfAbsent(input, _ -> new HashMap<>());
    WeakReference<Tensor<?>> known = buffers.get(shape);
    Tensor<?> buffer = known == null ? null : known.get();
    if (buffer == null) {
      buffers.values().removeIf(other -> other.refersTo(null));
      buffer = ctx.empty(input.dtype(), shape);
      buffers.put(shape, new WeakReference<>(buffer));
    }
    return (Tensor<T>) buffer;
  }
}
