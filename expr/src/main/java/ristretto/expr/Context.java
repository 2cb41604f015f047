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
 * A device with its memory, and one stream of work on it. Makes tensors, evaluates expressions into
 * them, and records programs. May be used from several threads, whose work is then done in turn;
 * for work side by side open one context a thread. Closing frees all memory; what was made by the
 * context must not be used afterwards. A context that was not closed is closed when neither it nor
 * a tensor of it is reachable any more. Compiled kernels stay for other contexts.
 */
public final class Context extends TensorFactories implements InPlace, AutoCloseable {
  /** Plans kept; each is small, its kernels are shared. */
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
   * @throws ristretto.kernels.DeviceException if there is no such device; the message says what
   *     there is
   */
  public static Context open(String name) {
    return new Context(Devices.open(name));
  }

  /** The device's name: {@code cpu}. */
  public String device() {
    return device.name();
  }

  /**
   * True if a library of this device computes this {@link Ops#convolution}, or this gradient of
   * one, without copies of windows.
   */
  public boolean convolves(Expr<?> convolution) {
    return Assignment.assignedBarrier(convolution) instanceof Convolve<?> c && c.isTaken(this);
  }

  boolean takes(Kernel.Convolution kernel) {
    return device.convolves(kernel);
  }

  /**
   * Columns of the panels in which a matrix that many products have as their right operand is best
   * kept on this device, as {@code panels[columns / c, rows, c]}: the product is then a batch of
   * products with panels, {@code dot(a, panels)}, written to {@code y[rows, columns / c,
   * c].permute(1, 0, 2)}. 0 if such a matrix is best left as it is.
   */
  public int panelColumns(long columns) {
    return device.panelColumns(columns);
  }

  /** The device in words: model, lanes or units, memory. */
  public String deviceDescription() {
    return device.description();
  }

  /**
   * Lock that each call of this context takes: who holds it makes several calls as one, without
   * those of other threads in between.
   */
  public Lock lock() {
    return lock;
  }

  // Tensors

  /**
   * A tensor whose elements are not set: whatever the memory held.
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

  /** A tensor that the current recording, if there is one, knows of. */
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

  /** Memory for a tensor; unreachable tensors give theirs back before there is none. */
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
   * Evaluates {@code expr} into {@code target}, whose shape it must broadcast to. The target may be
   * a view, and the expression may read the memory it covers: it sees the old values.
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
   * Several targets of one shape, in one kernel where possible; every expression sees the old
   * values: {@code assignAll(Pair.of(x, y), Pair.of(y, x))} exchanges x and y.
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

  /** Evaluates {@code expr} into a new tensor; as {@link #assign(Tensor, Expr)} otherwise. */
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
        // Seen before: worth remembering, unless it is the kind that is built anew each time.
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

  /** The key that is used over and over, or, for assignments made by a host step, another one. */
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

  /** How {@code expr} would be evaluated into a new tensor; runs nothing. */
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

  /** How {@code assign(target, expr)} would be done; runs nothing. */
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
   * Runs {@code body} once, now, and records its assignments as a program that repeats them without
   * building or planning anything. Assignments fuse with one another where shapes and memory allow.
   * Tensors that {@code eval} or {@code empty} made inside and that nothing uses afterwards are
   * temporaries of the program, whose elements do not last from run to run; all others are written
   * on each run. Numbers are those of the recording: what varies must be a tensor. Reading a tensor
   * inside the body gives the values of the recording.
   */
  public Program record(Runnable body) {
    return record(body, new Recorder(Recorder.Mode.NOW));
  }

  /**
   * The same, but runs no assignment: what {@code body} assigns is there after {@link Program#run}.
   * A first run then takes no more memory than later ones, and nothing is planned that is not part
   * of the program. The body must read no values.
   */
  public Program recordOnly(Runnable body) {
    return record(body, new Recorder(Recorder.Mode.LATER));
  }

  /**
   * The same, for a body of whose own tensors nobody keeps one: all that {@code eval} and {@code
   * empty} make inside are temporaries. They are not looked for then, which would take as long as
   * collecting garbage does. Such a tensor cannot be read afterwards.
   */
  public Program recordTransient(Runnable body) {
    return record(body, new Recorder(Recorder.Mode.LATER_KEEPING_NOTHING));
  }

  /**
   * The same in parts that run one after another, a program each, between which what the first ones
   * made may be read and what later ones read may be set: temporaries of one part may be read in
   * later ones. The programs have memory of their own for temporaries, which others leave alone.
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
   * A tensor as {@link #empty} makes it, but one that stays where a recording takes all that is
   * made for temporaries: what a program leaves for others.
   */
  public <T> Tensor<T> lasting(DType<T> dtype, Shape shape) {
    lock.lock();
    try {
      return recorder != null && recorder.keepsNothing() ? room(dtype, shape) : made(dtype, shape);
    } finally {
      unlock();
    }
  }

  /** Records from here on without some optimizations: to see what each is good for. */
  public void without(Set<Optimization> some) {
    without = Set.copyOf(some);
  }

  /** The optimizations that are left out. */
  public Set<Optimization> without() {
    return without;
  }

  /**
   * Says what the assignments of the current recording are for, from here on; {@link Trace} passes
   * it on. Outside of a recording it says nothing.
   */
  public void label(Object what) {
    say(own -> own.label(what));
  }

  /**
   * Says whether the assignments of the current recording, from here on, may write temporaries over
   * others that they read for the last time, see {@link Optimization#IN_PLACE}: they may, unless
   * this says otherwise. Outside of a recording it says nothing.
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
   * Runs {@code body} for each number below {@code times}. It must do the same in each round, only
   * with operands that are further on by the same distance each time, as steps of a recurrence do;
   * the first round may also make what all of them use. What a later round makes must not be used
   * outside of it.
   *
   * <p>Where {@link #recordTransient}, {@link #recordParts} or a {@link ProgramTemplate} records
   * many rounds, it runs {@code body} for the first few only, and goes on as these do; whoever
   * counts on each round sees to that afterwards. Rounds that differ are all run.
   *
   * @param labels says what a {@linkplain #label label} of a round is so many rounds later
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
   * What is made of a recorded body.
   *
   * @param plan gets the device and the optimizations to leave out
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

  /** Counters of launches, compilations and memory; see {@link Stats}. */
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

  /** Frees what is held for later only; the caller may then ask for memory again. */
  void makeRoom() {
    Reclaimer.collect();
    lock.lock();
    try {
      temporaries.freeIdle();
    } finally {
      unlock();
    }
  }

  /** A tensor in row-major order, or a copy that is; of values that are there, recording or not. */
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

  /** Row-major elements into a tensor of any layout. */
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

  /** Part of the elements of a contiguous tensor, from byte {@code at} on. */
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

  /** Ends what began with a lock; until then the context is reachable, and its device open. */
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

  /** Waits until all work is done; reading a tensor does so by itself. */
  public void synchronize() {
    device.synchronize();
  }

  /**
   * Frees all memory of this context's tensors; using them, or this context, is a {@link
   * ClosedException} from then on. Closing again does nothing.
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
