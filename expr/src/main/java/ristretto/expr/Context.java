package ristretto.expr;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import ristretto.kernels.ClosedException;
import ristretto.kernels.DeviceException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Passes;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.ir.Kernel;

/**
 * Device with its memory and one stream of work. A context creates tensors, evaluates expressions
 * into tensors, and records programs. Calls from several threads are serialized; open one context
 * per thread to run concurrently. Closing frees all memory; tensors and programs of a closed
 * context must not be used. An open context is closed automatically once neither the context nor
 * any of its tensors is reachable. Compiled kernels are kept for other contexts.
 */
public final class Context extends TensorFactories implements InPlace, AutoCloseable {
  /**
   * Capacity of the plan cache, with least recently used eviction; plans are small and share their
   * kernels.
   */
  private static final int MOST_PLANS = 2048;

  private final Device device;
  private final MemoryWatch watch;
  private final Runnable closing;
  private final ReentrantLock lock = new ReentrantLock();
  private final ExprKey ownKey = new ExprKey();
  private boolean keyInUse;
  private final Map<Object, Prepared> plans = new LinkedHashMap<>(64, 0.75f, true);
  private final Temporaries temporaries;
  private Recorder recorder;
  private Set<Optimization> without = Set.of();
  private long replayedKernels;
  private boolean closed;

  private Context(Device device) {
    this(device, MemoryWatch.ofProcess());
  }

  Context(Device device, MemoryWatch watch) {
    this.device = device;
    this.watch = watch;
    this.temporaries = new Temporaries(device);
    this.closing = watch.opened(this, device);
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
    return new Context(Devices.open(name));
  }

  /** The device's name: {@code cpu}. */
  public String device() {
    return device.name();
  }

  /**
   * Returns true if a library of this device computes this {@link Ops#convolution}, or this
   * gradient of a convolution, without copying windows.
   */
  public boolean convolves(Expr<?> convolution) {
    return Assignment.assignedBarrier(convolution) instanceof Convolve<?> c && c.isTaken(this);
  }

  boolean takes(Kernel.Convolution kernel) {
    return device.convolves(kernel);
  }

  /**
   * Preferred panel width c of this device for the right operand of many matrix products, stored as
   * {@code panels[columns / c, rows, c]}. The product is then a batch of products with panels,
   * {@code dot(a, panels)}, written to {@code y[rows, columns / c, c].permute(1, 0, 2)}. Returns 0
   * if panels are no faster than the plain matrix.
   */
  public int panelColumns(long columns) {
    return device.panelColumns(columns);
  }

  /** Description of the device: model, lanes or compute units, memory. */
  public String deviceDescription() {
    return device.description();
  }

  /**
   * Reentrant lock that each call of this context takes. A thread that holds the lock makes several
   * calls atomically with respect to other threads.
   */
  public Lock lock() {
    return lock;
  }

  // Tensors

  /**
   * Allocates a tensor with undefined elements.
   *
   * @throws ristretto.kernels.DeviceException if there is no memory for it
   */
  @Override
  public <T> Tensor<T> empty(DType<T> dtype, Shape shape) {
    lock.lock();
    try {
      return made(dtype, shape);
    } finally {
      unlock();
    }
  }

  /** Allocates a tensor and registers it with the current recording, if any. */
  private <T> Tensor<T> made(DType<T> dtype, Shape shape) {
    if (recorder != null && recorder.keepsNothing()) {
      requireOpen("empty");
      var storage = new Storage.Planned(this, dtype, shape);
      recorder.made(storage);
      return new Tensor<>(dtype, storage, Layout.contiguous(shape));
    }
    Tensor<T> t = room(dtype, shape);
    if (recorder != null) {
      recorder.made(t);
    }
    return t;
  }

  @Override
  <T> Tensor<T> room(DType<T> dtype, Shape shape) {
    requireOpen("empty");
    long bytes;
    try {
      bytes = Math.max(1, Math.multiplyExact(shape.size(), (long) dtype.bytes()));
    } catch (ArithmeticException e) {
      throw new ShapeException(
          "[empty] the bytes of a tensor must fit in 63 bits; got " + dtype + shape, e);
    }
    boolean later = recorder != null && recorder.runsLater();
    Storage storage =
        later
            ? new Storage.Deferred(this, () -> allocate(bytes))
            : new Storage(this, allocate(bytes));
    return new Tensor<>(dtype, storage, Layout.contiguous(shape));
  }

  /**
   * Allocates memory for a tensor. If the device is out of memory, frees unreachable tensors and
   * idle temporaries and tries again.
   */
  Buffer allocate(long bytes) {
    watch.allocating(bytes);
    try {
      return device.allocate(bytes);
    } catch (DeviceException e) {
      makeRoom();
      return device.allocate(bytes);
    }
  }

  @Override
  <T> Tensor<T> made(DType<T> dtype, Shape shape, Expr<T> values) {
    Tensor<T> t = room(dtype, shape);
    run(List.of(new Pair<>(t, values)), false);
    return t;
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
  @Override
  public <T> void assign(Tensor<T> target, Expr<T> expr) {
    assignOne(target, expr);
  }

  /** Fills {@code target} with a number, which must be whole unless the dtype is floating point. */
  public <T> void assign(Tensor<T> target, double value) {
    assignOne(target, Scalars.number(target.dtype(), value));
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
      TargetRules.check(this, p.target(), p.expr());
      if (!p.target().shape().equals(pairs[0].target().shape())) {
        throw new ShapeException(
            "[assignAll] targets must have one shape; got "
                + pairs[0].target().label()
                + " and "
                + p.target().label()
                + "; use one assignment each.");
      }
    }
    run(List.of(pairs), false);
  }

  /** Evaluates {@code expr} into a new tensor; see {@link #assign(Tensor, Expr)} for errors. */
  public <T> Tensor<T> eval(Expr<T> expr) {
    lock.lock();
    try {
      Tensor<T> t = made(expr.dtype(), expr.shape());
      run(List.of(new Pair<>(t, expr)), true);
      return t;
    } finally {
      unlock();
    }
  }

  private <T> void assignOne(Tensor<T> target, Expr<T> expr) {
    Replay replay = expr.replay();
    if (replay == null || !replay.fits(this, target)) {
      TargetRules.check(this, target, expr);
    }
    lock.lock();
    ExprKey key = claimKey();
    try {
      requireOpen("assign");
      if (recorder != null) {
        recorder.add(List.of(new Pair<>(target, expr)), false);
        if (recorder.runsLater()) {
          return;
        }
      }
      if (replay != null && replay.fits(this, target)) {
        replayedKernels += replay.kernels();
        replay.run(target);
        return;
      }
      key.target(target);
      key.add(expr);
      Prepared plan = plans.get(key);
      if (plan == null) {
        plan = prepare(key, List.of(new Pair<>(target, expr)));
      } else {
        replayedKernels += plan.kernels();
        // The second assignment of the same object creates a Replay: most expressions are built
        // anew for each assignment and never need one.
        expr.replay(expr.replay() == null ? Replay.NONE : new Replay(this, target, plan, key));
      }
      plan.run(this, key);
    } finally {
      release(key);
      unlock();
      Reference.reachabilityFence(target);
      Reference.reachabilityFence(expr);
    }
  }

  private void run(List<Pair<?>> pairs, boolean fresh) {
    lock.lock();
    ExprKey key = claimKey();
    try {
      requireOpen("assign");
      if (recorder != null) {
        recorder.add(pairs, fresh);
        if (recorder.runsLater()) {
          return;
        }
      }
      for (Pair<?> p : pairs) {
        key.target(p.target());
        key.add(p.expr());
      }
      Prepared plan = plans.get(key);
      if (plan == null) {
        plan = prepare(key, pairs);
      } else {
        replayedKernels += plan.kernels();
      }
      plan.run(this, key);
    } finally {
      release(key);
      unlock();
    }
  }

  /** Returns the context's reusable key, or a new key for assignments nested in a host step. */
  private ExprKey claimKey() {
    if (keyInUse) {
      return new ExprKey();
    }
    keyInUse = true;
    return ownKey;
  }

  private void release(ExprKey key) {
    if (key == ownKey) {
      key.clear();
      keyInUse = false;
    }
  }

  private Prepared prepare(ExprKey key, List<Pair<?>> pairs) {
    long start = System.nanoTime();
    PlanBuilder plan = build(key, pairs);
    Passes.timed("assignment", "planning", start);
    if (Debug.active()) {
      new Plan(plan).log();
    }
    start = System.nanoTime();
    Prepared prepared = new Prepared(plan, device, key.storageCount());
    Passes.timed("assignment", "preparing", start);
    if (!prepared.hasHostSteps()) {
      plans.put(key.freeze(), prepared);
      if (plans.size() > MOST_PLANS) {
        var oldest = plans.keySet().iterator();
        oldest.next();
        oldest.remove();
      }
    }
    return prepared;
  }

  private PlanBuilder build(ExprKey key, List<Pair<?>> pairs) {
    var plan = new PlanBuilder(this, key);
    int depth = 0;
    for (Pair<?> p : pairs) {
      depth = Math.max(depth, p.expr().depth());
    }
    DeepStack.run(depth, () -> new Assignment(plan, pairs).run());
    FuseProducts.apply(plan, device);
    return plan;
  }

  // Plans and programs

  /** Plan for the evaluation of {@code expr} into a new tensor; launches nothing. */
  public Plan explain(Expr<?> expr) {
    lock.lock();
    var key = new ExprKey();
    try {
      requireOpen("explain");
      key.add(expr);
      var plan = new PlanBuilder(this, key);
      var storage = new Storage.Planned(this, expr.dtype(), expr.shape());
      plan.nameResult(storage);
      var target = new Tensor<>(expr.dtype(), storage, Layout.contiguous(expr.shape()));
      DeepStack.run(expr.depth(), () -> new Assignment(plan, target, expr).run());
      FuseProducts.apply(plan, device);
      return new Plan(plan);
    } finally {
      unlock();
    }
  }

  /** Plan for {@code assign(target, expr)}; launches nothing. */
  public Plan explain(Tensor<?> target, Expr<?> expr) {
    TargetRules.check(this, target, expr);
    lock.lock();
    var key = new ExprKey();
    try {
      requireOpen("explain");
      key.target(target);
      key.add(expr);
      PlanBuilder plan = build(key, List.of(Pair.untyped(target, expr)));
      return new Plan(plan);
    } finally {
      unlock();
    }
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
    return recording(
        () -> inParts(own, bodies), own, (on, left) -> ProgramParts.of(this, on, own, left));
  }

  static void inParts(Recorder recorder, List<Runnable> bodies) {
    for (Runnable body : bodies) {
      recorder.part();
      body.run();
    }
  }

  /**
   * Allocates a tensor with undefined elements that is never a temporary of {@link
   * #recordTransient} or {@link #recordParts}: for results of a program.
   */
  public <T> Tensor<T> lasting(DType<T> dtype, Shape shape) {
    lock.lock();
    try {
      return recorder != null && recorder.keepsNothing() ? room(dtype, shape) : made(dtype, shape);
    } finally {
      unlock();
    }
  }

  /** Disables optimizations for subsequent recordings, to measure their effect. */
  public void without(Set<Optimization> some) {
    without = Set.copyOf(some);
  }

  /** Disabled optimizations. */
  public Set<Optimization> without() {
    return without;
  }

  /**
   * Sets the label of subsequent assignments of the current recording, for {@link Trace}. Has no
   * effect outside of a recording.
   */
  public void label(Object what) {
    say(own -> own.label(what));
  }

  /**
   * Allows or forbids subsequent assignments of the current recording to write a temporary over one
   * that they read for the last time; see {@link Optimization#IN_PLACE}. Allowed by default. Has no
   * effect outside of a recording.
   */
  public void inPlace(boolean whether) {
    say(own -> own.inPlace(whether));
  }

  private void say(Consumer<Recorder> what) {
    lock.lock();
    try {
      if (recorder != null) {
        what.accept(recorder);
      }
    } finally {
      unlock();
    }
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
    lock.lock();
    try {
      Recorder own = recorder != null ? recorder : new Recorder(Recorder.Mode.NOW);
      own.repeat(times, body, labels, without);
    } finally {
      unlock();
    }
  }

  private Program record(Runnable body, Recorder own) {
    return recording(body, own, (on, left) -> new Program(this, on, own, left));
  }

  /**
   * Records {@code body} and returns the result of {@code plan}.
   *
   * @param plan takes the device and the disabled optimizations
   */
  <T> T recording(Runnable body, Recorder own, BiFunction<Device, Set<Optimization>, T> plan) {
    lock.lock();
    try {
      requireOpen("record");
      if (recorder != null) {
        throw new ShapeException(
            "[record] a recording must not hold another one; end the outer one first.");
      }
      recorder = own;
      try {
        body.run();
      } finally {
        recorder = null;
      }
      return plan.apply(device, without);
    } finally {
      unlock();
    }
  }

  void run(Program program, Runnable launches) {
    lock.lock();
    try {
      requireOpen("run");
      if (recorder != null) {
        recorder.requireNow(program);
      }
      replayedKernels += program.kernelCount();
      launches.run();
    } finally {
      unlock();
    }
  }

  /**
   * Copies elements from host memory to a tensor, which may be a view.
   *
   * @param values row-major, in the bytes of the tensor's dtype
   */
  public void copy(MemorySegment values, Tensor<?> target) {
    HostTransfer.write(target, values);
  }

  /** Counters of launches, compilations and memory. */
  public Stats stats() {
    lock.lock();
    try {
      return Stats.of(device.counters(), replayedKernels);
    } finally {
      unlock();
    }
  }

  // Memory

  Temporaries temporaries() {
    return temporaries;
  }

  /** Frees unreachable tensors and idle temporaries, before an allocation is tried again. */
  void makeRoom() {
    Reclaimer.collect();
    lock.lock();
    try {
      temporaries.freeIdle();
    } finally {
      unlock();
    }
  }

  /**
   * Returns the tensor if its layout is contiguous, or else a row-major copy of its current values,
   * evaluated immediately even within a recording.
   */
  <T> Tensor<T> contiguous(Tensor<T> t) {
    lock.lock();
    Recorder own = recorder;
    try {
      if (own != null) {
        own.requireComputed(t);
      }
      recorder = null;
      return !t.isCopy() && t.layout().isContiguous() ? t : eval(t.plain());
    } finally {
      recorder = own;
      unlock();
    }
  }

  void read(Tensor<?> contiguous, MemorySegment target) {
    lock.lock();
    try {
      requireOpen("read");
      device.read(
          contiguous.storage().buffer(),
          contiguous.layout().offset() * contiguous.dtype().bytes(),
          target);
    } finally {
      unlock();
    }
  }

  /** Writes row-major elements to a tensor of any layout. */
  @Override
  void write(Tensor<?> t, MemorySegment values) {
    lock.lock();
    try {
      requireOpen("write");
      if (recorder != null) {
        recorder.requireUnassigned(t);
      }
      if (t.shape().size() == 0) {
        return;
      }
      if (t.layout().isContiguous()) {
        device.write(t.storage().buffer(), t.layout().offset() * t.dtype().bytes(), values);
      } else {
        copyIn(t, values);
      }
    } finally {
      unlock();
    }
  }

  /** Writes part of the elements of a contiguous tensor, from byte offset {@code at} on. */
  void writeBytes(Tensor<?> t, long at, MemorySegment values) {
    lock.lock();
    try {
      requireOpen("write");
      if (values.byteSize() > 0) {
        device.write(t.storage().buffer(), t.layout().offset() * t.dtype().bytes() + at, values);
      }
    } finally {
      unlock();
    }
  }

  private <T> void copyIn(Tensor<T> t, MemorySegment values) {
    run(List.of(new Pair<>(t, tensor(t.dtype(), values, t.shape()))), false);
  }

  /**
   * Releases the lock. Until then the context stays reachable, so that the reclaimer does not close
   * its device.
   */
  private void unlock() {
    lock.unlock();
    Reference.reachabilityFence(this);
  }

  private void requireOpen(String op) {
    if (closed) {
      throw new ClosedException(
          "[" + op + "] the context must be open; it was closed. Open another one.");
    }
  }

  /** Waits until all launches have finished; reading a tensor waits implicitly. */
  public void synchronize() {
    device.synchronize();
  }

  /**
   * Frees the memory of all tensors of this context. Subsequent use of the context or its tensors
   * throws a {@link ClosedException}. Closing again has no effect.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        plans.clear();
        closing.run();
      }
    } finally {
      unlock();
    }
  }
}
