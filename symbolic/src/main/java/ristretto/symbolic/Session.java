package ristretto.symbolic;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/**
 * Inputs and recorded runs of one thread in an executor, with memory that no other thread's runs
 * use: so threads do not see each other's values.
 */
final class Session {
  private final Context ctx;
  private final Sessions others;
  private WeakReference<Thread> thread;

  /** Memory for each shape, as long as a run or the input itself holds it. */
  private final Map<Variable<?>, Map<Shape, WeakReference<Tensor<?>>>> memory =
      new IdentityHashMap<>();

  private final Map<Variable<?>, Tensor<?>> given = new IdentityHashMap<>();
  private final Runs runs = new Runs();

  /** The last run, or null. */
  private Run last;

  /** Numbers of the events of the last value given and the last run. */
  private long setAt;

  private long ranAt;

  Session(Context ctx, Sessions others) {
    this.ctx = ctx;
    this.others = others;
    this.thread = new WeakReference<>(Thread.currentThread());
  }

  boolean isOf(Thread other) {
    return thread.refersTo(other);
  }

  /** True if its thread has ended, so that another one may take it over. */
  boolean isFree() {
    Thread own = thread.get();
    return own == null || !own.isAlive();
  }

  void take(Thread other) {
    thread = new WeakReference<>(other);
    given.clear();
    last = null;
    setAt = 0;
  }

  Runs runs() {
    return runs;
  }

  /** The last run of this thread; of any thread, if this one has made none; or null. */
  Run last() {
    return last == null ? others.last() : last;
  }

  /** True if a thread has made a run in this session. */
  boolean hasRun() {
    return ranAt > 0;
  }

  void ran(Run run) {
    last = run;
    ranAt = others.ran(run);
  }

  /**
   * The run that this thread reads values from, or null. Once several threads have made runs, it
   * must have read the inputs that this thread has set last: a run of another thread does not count
   * as one of this thread.
   *
   * @param op for the message
   * @param inputs of the model
   * @throws ShapeException if this thread has set an input since, or another one
   */
  Run read(String op, Variable<?> variable, List<Variable<?>> inputs) {
    Run run = last();
    boolean outdated =
        last != null
            ? setAt > ranAt && others.ranApartFrom(this)
            : run != null && (setAt > others.lastAt() || !isReadBy(run, inputs));
    if (outdated) {
      throw new ShapeException(
          "["
              + op
              + "] a thread that has set inputs must run them before it reads values of a run,"
              + " where other threads make runs too; got "
              + variable
              + ", whose last run for this thread did not read its inputs; call set, forward and "
              + op
              + " in one thread.");
    }
    return run;
  }

  /** True if a run reads all values that this thread has given. */
  private boolean isReadBy(Run run, List<Variable<?>> inputs) {
    for (int k = 0; k < inputs.size(); k++) {
      Tensor<?> own = given.get(inputs.get(k));
      if (own != null && own != run.inputs().get(k)) {
        return false;
      }
    }
    return true;
  }

  <T> void set(Variable<T> input, Expr<T> value) {
    require(input, value.shape());
    Tensor<T> room = room(input, value.shape());
    ctx.assign(room, value);
    use(input, room);
  }

  void set(Variable<?> input, MemorySegment values, Shape shape) {
    require(input, shape);
    Tensor<?> room = room(input, shape);
    ctx.copy(values, room);
    use(input, room);
  }

  /** The tensor itself instead of a copy. */
  void use(Variable<?> input, Tensor<?> value) {
    given.put(input, value);
    setAt = others.gave(input, value);
  }

  /** The value that this thread gave an input last; any thread, if this one gave none; or null. */
  Tensor<?> get(Variable<?> input) {
    Tensor<?> own = given.get(input);
    return own == null ? others.given(input) : own;
  }

  /** Another number after each value that an input is given. */
  long version(Variable<?> input) {
    return others.version(input);
  }

  /** Allocates nothing if all of them are given. */
  void require(List<Variable<?>> inputs) {
    for (int k = 0; k < inputs.size(); k++) {
      if (get(inputs.get(k)) == null) {
        throw new ShapeException(
            "[run] every input must be given; got nothing for "
                + inputs.get(k)
                + "; call set first.");
      }
    }
  }

  /** Tensors of inputs that are given. */
  List<Tensor<?>> memory(List<Variable<?>> inputs) {
    List<Tensor<?>> all = new ArrayList<>();
    inputs.forEach(v -> all.add(get(v)));
    return all;
  }

  private static void require(Variable<?> input, Shape shape) {
    if (input.kind() != Variable.Kind.INPUT) {
      throw new ShapeException(
          "[set] only inputs are given; got " + input + "; assign to tensor(it).");
    }
    if (!input.dims().accepts(shape)) {
      throw new ShapeException(
          "[set] the value must have the input's shape; got " + shape + " for " + input + ".");
    }
  }

  @SuppressWarnings("unchecked")
  private <T> Tensor<T> room(Variable<T> input, Shape shape) {
    Map<Shape, WeakReference<Tensor<?>>> rooms =
        memory.computeIfAbsent(input, _ -> new HashMap<>());
    WeakReference<Tensor<?>> known = rooms.get(shape);
    Tensor<?> room = known == null ? null : known.get();
    if (room == null) {
      rooms.values().removeIf(other -> other.refersTo(null));
      room = ctx.empty(input.dtype(), shape);
      rooms.put(shape, new WeakReference<>(room));
    }
    return (Tensor<T>) room;
  }
}
