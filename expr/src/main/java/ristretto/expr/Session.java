package ristretto.expr;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.Traversal;
import ristretto.expr.memory.DeviceMemory;
import ristretto.expr.memory.MemoryWatch;
import ristretto.expr.memory.PlanContext;
import ristretto.expr.memory.Storage;
import ristretto.expr.option.Optimization;
import ristretto.expr.program.CompiledPlan;
import ristretto.expr.program.PlanCache;
import ristretto.expr.program.Replay;
import ristretto.expr.recording.Recorder;
import ristretto.expr.recording.Update;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.ClosedException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.Stats;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceCounters;

/**
 * Working state of a {@link Context}: its device, memory, cached plans and current recording. Every
 * call takes the lock.
 */
final class Session implements PlanContext {
  private final Context context;
  private final Device device;
  private final Runnable closing;
  private final ReentrantLock lock = new ReentrantLock();
  private final PlanCache plans;
  private final DeviceMemory memory;
  private Recorder recorder;
  private Set<Optimization> without = Set.of();
  private long programKernels;
  private boolean closed;

  Session(Context context, Device device, MemoryWatch watch) {
    this.context = context;
    this.device = device;
    this.memory = new DeviceMemory(device, watch, lock);
    this.plans = new PlanCache(this, plan -> new Plan(plan).log());
    this.closing = watch.opened(context, device);
  }

  /** The context of this state. */
  Context context() {
    return context;
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public DeviceMemory memory() {
    return memory;
  }

  Lock lock() {
    return lock;
  }

  // Tensors

  /** Allocates a tensor and registers it with the current recording, if any. */
  <T> Tensor<T> empty(DType<T> dtype, Shape shape) {
    return locked(() -> made(dtype, shape));
  }

  /** Allocates a tensor that is never a temporary of a recording that keeps nothing. */
  <T> Tensor<T> lasting(DType<T> dtype, Shape shape) {
    return locked(() ->
        recorder != null && recorder.keepsNothing() ? room(dtype, shape) : made(dtype, shape));
  }

  private <T> Tensor<T> made(DType<T> dtype, Shape shape) {
    if (recorder != null && recorder.keepsNothing()) {
      requireOpen("empty");
      var storage = new Storage.Planned(this, dtype, shape);
      recorder.made(storage);
      return new Tensor<>(dtype, StorageView.contiguous(dtype, storage, shape));
    }
    Tensor<T> t = room(dtype, shape);
    if (recorder != null) {
      recorder.made(t.memory());
    }
    return t;
  }

  /** Allocates a tensor that no recording knows of. */
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
            ? new Storage.Deferred(this, () -> memory.allocate(bytes))
            : new Storage(this, memory.allocate(bytes));
    return new Tensor<>(dtype, StorageView.contiguous(dtype, storage, shape));
  }

  /** Makes a tensor of memory of the host; empty if the device cannot read it in place. */
  <T> Optional<Tensor<T>> wrapped(DType<T> dtype, MemorySegment data, Shape shape) {
    return locked(() -> {
      requireOpen("memoryMap");
      return device
          .wrap(data)
          .map(b -> StorageView.contiguous(dtype, new Storage(this, b), shape))
          .map(view -> new Tensor<>(dtype, view));
    });
  }

  // Assignment

  /**
   * Plan of an assignment, with its arguments; null if the current recording runs the assignment
   * later. The caller holds the lock.
   */
  <T> CompiledPlan plan(Tensor<T> target, Expr<T> expr) {
    StorageView memory = target.memory();
    Replay replay = memory == null ? null : plans.replay(memory, expr);
    if (replay == null) {
      target.requireAssignable(context, expr);
    }
    requireOpen("assign");
    if (recorder != null) {
      recorder.add(List.of(new Update(memory, expr)), false);
      if (recorder.runsLater()) {
        return null;
      }
    }
    return replay != null ? plans.bound(replay, memory) : plans.bound(memory, expr);
  }

  /**
   * Evaluates expressions into tensors of one shape; all expressions see the old values.
   *
   * @param fresh true if a target was made for this assignment
   */
  void run(List<Update> updates, boolean fresh) {
    lock.lock();
    try {
      requireOpen("assign");
      if (recorder != null) {
        recorder.add(updates, fresh);
        if (recorder.runsLater()) {
          return;
        }
      }
      plans.bound(updates).run();
    } finally {
      unlock();
      Reference.reachabilityFence(updates);
    }
  }

  /** Evaluates an expression into a new tensor. */
  <T> Tensor<T> eval(Expr<T> expr) {
    lock.lock();
    try {
      Tensor<T> t = made(expr.dtype(), expr.shape());
      run(List.of(new Update(t.memory(), expr)), true);
      return t;
    } finally {
      unlock();
    }
  }

  /** Plan for the evaluation of {@code expr} into a new tensor; launches nothing. */
  Plan explain(Expr<?> expr) {
    return locked(() -> {
      requireOpen("explain");
      return new Plan(plans.explain(expr));
    });
  }

  /** Plan for {@code assign(target, expr)}; launches nothing. */
  Plan explain(Tensor<?> target, Expr<?> expr) {
    target.requireAssignable(context, expr);
    return locked(() -> {
      requireOpen("explain");
      return new Plan(plans.explain(target.memory(), expr));
    });
  }

  // Recordings

  Set<Optimization> without() {
    return without;
  }

  void without(Set<Optimization> some) {
    without = Set.copyOf(some);
  }

  /** Applies an action to the current recording, if any. */
  void onRecording(Consumer<Recorder> what) {
    locked(() -> {
      if (recorder != null) {
        what.accept(recorder);
      }
    });
  }

  /** Runs a loop, in the current recording if there is one; see {@link Context#repeat}. */
  void repeat(int times, IntConsumer body, BiFunction<Object, Integer, Object> labels) {
    locked(() -> {
      Recorder own = recorder != null ? recorder : new Recorder(Recorder.Mode.NOW);
      own.repeat(times, body, labels, without);
    });
  }

  /**
   * Records {@code body} and returns the result of {@code plan}.
   *
   * @param plan takes this state and the disabled optimizations
   */
  <T> T recording(Runnable body, Recorder own, BiFunction<Session, Set<Optimization>, T> plan) {
    lock.lock();
    try {
      requireOpen("record");
      if (recorder != null) {
        throw new ShapeException(
            "[record] recordings must not be nested; end the outer one first.");
      }
      recorder = own;
      try {
        body.run();
      } finally {
        recorder = null;
      }
      return plan.apply(this, without);
    } finally {
      unlock();
    }
  }

  /** Runs the launches of a program. */
  void run(Program program, Runnable launches) {
    lock.lock();
    try {
      requireOpen("run");
      if (recorder != null) {
        recorder.requireNow(program.kernelCount());
      }
      programKernels += program.kernelCount();
      launches.run();
    } finally {
      unlock();
      Reference.reachabilityFence(program);
    }
  }

  // Elements

  /**
   * Returns the tensor if its layout is contiguous, or else a row-major copy of its current values,
   * evaluated immediately even within a recording.
   */
  <T> Tensor<T> contiguous(Tensor<T> t) {
    if (t.isCopy() || !t.layout().isContiguous()) {
      return evalNow(t.plain());
    }
    locked(() -> requireComputed(t));
    return t;
  }

  /** Evaluates an expression immediately, even within a recording. */
  <T> Tensor<T> evalNow(Expr<T> expr) {
    lock.lock();
    Recorder own = recorder;
    try {
      requireComputed(expr);
      recorder = null;
      return eval(expr);
    } finally {
      recorder = own;
      unlock();
    }
  }

  /** Checks that the current recording assigns no operand of an expression. */
  private void requireComputed(Expr<?> expr) {
    if (recorder != null) {
      Traversal.visit(
          expr,
          Term::operands,
          e -> {
            if (e instanceof Tensor<?> t) {
              recorder.requireComputed(t.storage(), t.label());
            }
          });
    }
  }

  void read(Tensor<?> contiguous, MemorySegment target) {
    locked(() -> {
      requireOpen("read");
      device.read(contiguous.storage().buffer(), HostTransfer.start(contiguous), target);
    });
    Reference.reachabilityFence(contiguous);
  }

  /**
   * Runs code with the memory of contiguous tensors, if the host can access the memory in place;
   * returns false otherwise.
   */
  boolean runInPlace(List<Tensor<?>> contiguous, Consumer<List<MemorySegment>> code) {
    boolean ran =
        locked(() -> {
          requireOpen("read");
          var memory = new ArrayList<MemorySegment>();
          for (Tensor<?> t : contiguous) {
            var extent = HostTransfer.Extent.of(t);
            device
                .hostMemory(t.storage().buffer())
                .ifPresent(m -> memory.add(m.asSlice(extent.start(), extent.bytes())));
          }
          boolean all = memory.size() == contiguous.size();
          if (all) {
            code.accept(memory);
          }
          return all;
        });
    Reference.reachabilityFence(contiguous);
    return ran;
  }

  /** Frees the memory of a tensor that nothing else refers to, before garbage collection does. */
  void free(Tensor<?> t) {
    locked(() -> t.storage().buffer().close());
  }

  /** Writes row-major elements to a tensor of any layout. */
  void write(Tensor<?> t, MemorySegment values) {
    locked(() -> {
      requireOpen("write");
      if (recorder != null) {
        recorder.requireUnassigned(t.storage(), t.label());
      }
      if (t.shape().size() > 0 && t.layout().isContiguous()) {
        device.write(t.storage().buffer(), HostTransfer.start(t), values);
      } else if (t.shape().size() > 0) {
        copyIn(t, values);
      }
    });
    Reference.reachabilityFence(t);
  }

  /** Writes part of the elements of a contiguous tensor, from byte offset {@code at} on. */
  void writeBytes(Tensor<?> t, long at, MemorySegment values) {
    locked(() -> {
      requireOpen("write");
      if (values.byteSize() > 0) {
        device.write(t.storage().buffer(), HostTransfer.start(t) + at, values);
      }
    });
    Reference.reachabilityFence(t);
  }

  private <T> void copyIn(Tensor<T> t, MemorySegment values) {
    Tensor<T> copy = room(t.dtype(), t.shape());
    write(copy, values);
    run(List.of(new Update(t.memory(), copy)), false);
  }

  private void locked(Runnable work) {
    lock.lock();
    try {
      work.run();
    } finally {
      unlock();
    }
  }

  private <T> T locked(Supplier<T> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      unlock();
    }
  }

  /**
   * Releases the lock. Until then the context stays reachable, so that the reclaimer does not close
   * its device.
   */
  void unlock() {
    lock.unlock();
    Reference.reachabilityFence(context);
  }

  private void requireOpen(String op) {
    if (closed) {
      throw new ClosedException(
          "[" + op + "] the context must be open; it was closed. Open another one.");
    }
  }

  Stats stats() {
    return locked(() -> {
      DeviceCounters c = device.counters();
      return new Stats(
          c.launches(),
          c.cacheHits() + plans.cachedKernels() + programKernels,
          c.cacheMisses(),
          c.compileNanos() / 1e6,
          c.bytesAllocated(),
          c.peakBytes());
    });
  }

  /** Closes the device; see {@link Context#close}. */
  void close() {
    locked(() -> {
      if (!closed) {
        closed = true;
        plans.clear();
        closing.run();
      }
    });
  }
}
