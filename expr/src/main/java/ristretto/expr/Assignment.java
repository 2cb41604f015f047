package ristretto.expr;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import ristretto.expr.graph.BarrierWork;
import ristretto.expr.graph.StorageView;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.LValue;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.Solvers;

/** Planning of the work of a user's operator; {@link LExpr#prepare} and {@link LExpr#execute}. */
public final class Assignment {
  private final BarrierWork work;

  Assignment(BarrierWork work) {
    this.work = work;
  }

  /** States, in {@link LExpr#prepare}, that an input must be in memory; see {@link #memory}. */
  public void requireMemory(Expr<?> input) {
    work.requireMemory(input);
  }

  /** States, in {@link LExpr#prepare}, that an input must be in memory in row-major order. */
  public void requireContiguous(Expr<?> input) {
    work.requireContiguous(input);
  }

  /** Values of an expression in memory: the tensor itself, a view of one, or a temporary. */
  public <T> Tensor<T> memory(Expr<T> e) {
    return tensor(e, work.memory(e));
  }

  /** Values of an expression in memory in row-major order. */
  public <T> Tensor<T> contiguous(Expr<T> e) {
    return tensor(e, work.contiguous(e));
  }

  private static <T> Tensor<T> tensor(Expr<T> e, StorageView memory) {
    return e instanceof Tensor<T> t && t.memory() == memory ? t : new Tensor<>(e.dtype(), memory);
  }

  /** Temporary: memory that exists while the assignment runs. */
  public <T> Tensor<T> temporary(DType<T> dtype, Shape shape) {
    return new Tensor<>(dtype, work.temporary(dtype, shape));
  }

  /** Plans a further assignment, after those planned so far. */
  public <T> void assign(LValue<T> target, Expr<T> expr) {
    if (!(target instanceof Tensor<T> t)) {
      throw new ShapeException(
          "[assign] the target must be a tensor; got " + target + "; assign to a Tensor.");
    }
    work.assign(t.memory(), expr);
  }

  /**
   * Plans code on the host, which runs after the kernels planned so far, each time the plan runs.
   * The code may read and write the target and tensors of {@link #memory} and {@link #temporary}.
   */
  public void host(String what, Runnable code) {
    work.host(what, code);
  }

  /**
   * Plans code on the host that reads inputs and fills a target, each a row-major tensor of {@link
   * #contiguous}, {@link #temporary} or the target itself, and accesses no other tensor. The code
   * runs each time the plan runs, for the memory of that run: unlike with {@link #host}, a repeated
   * assignment is not planned again. So the code must not refer to the operator or its inputs,
   * which would stay reachable as long as the plan. On the cpu device the memory is that of the
   * tensors; on other devices it is copied before and after.
   */
  public void compute(String what, HostCode code, Tensor<?> target, Tensor<?>... inputs) {
    var views = new ArrayList<StorageView>();
    var extents = new ArrayList<HostTransfer.Extent>();
    views.add(target.memory());
    extents.add(HostTransfer.Extent.of(target));
    for (Tensor<?> input : inputs) {
      views.add(input.memory());
      extents.add(HostTransfer.Extent.of(input));
    }
    // The plan may live longer than the tensors, so the code must not reach them.
    work.host(
        what, (device, buffers) -> HostTransfer.run(device, buffers, extents, code), views, 1);
  }

  /** Code on the host that fills the memory of a target. */
  @FunctionalInterface
  public interface HostCode {
    /**
     * Computes the elements of the target.
     *
     * @param threads threads of the device, for parts that are independent
     */
    void run(Threads threads, MemorySegment target, List<MemorySegment> inputs);
  }

  /** Plans a product of row-major matrices; see {@link BarrierWork#multiply}. */
  void multiply(BlockFormat format, StorageView a, StorageView blocks, StorageView target) {
    work.multiply(format, a, blocks, target);
  }

  /** Factorizations by a library of the device; empty if matrices are factorized on the host. */
  public Optional<Solvers> solvers() {
    return work.device().solvers();
  }

  /**
   * Plans calls of the device's library of factorizations on row-major tensors of {@link
   * #temporary}. As with {@link #compute}, the code must not refer to the operator or its inputs.
   *
   * @param targets number of the first tensors, which the calls write
   */
  public void solve(String what, SolverCode code, int targets, Tensor<?>... tensors) {
    var views = new ArrayList<StorageView>();
    var starts = new ArrayList<Long>();
    for (Tensor<?> t : tensors) {
      views.add(t.memory());
      starts.add(HostTransfer.start(t));
    }
    work.host(
        what,
        (device, buffers) -> {
          var memory = new ArrayList<Solvers.Numbers>();
          for (int k = 0; k < buffers.size(); k++) {
            memory.add(new Solvers.Numbers(buffers.get(k), starts.get(k)));
          }
          code.run(device, memory);
        },
        views,
        targets);
  }

  /** Calls of a device's library of factorizations. */
  @FunctionalInterface
  public interface SolverCode {
    /** Runs the calls on the memory of the tensors. */
    void run(Device device, List<Solvers.Numbers> memory);
  }

  /** Threads that run numbered tasks. */
  @FunctionalInterface
  public interface Threads {
    /**
     * Runs tasks 0 to {@code tasks - 1}, in any order; throws the exception of a task that failed.
     */
    void run(int tasks, IntConsumer task);
  }

  /** Writes row-major elements into a row-major target, in code on the host. */
  public void write(LValue<F32> target, float[] values) {
    HostTransfer.write((Tensor<F32>) target, MemorySegment.ofArray(values));
  }

  /** Writes row-major elements, as bytes of the dtype, into a target, in code on the host. */
  public <T> void write(LValue<T> target, MemorySegment values) {
    HostTransfer.write((Tensor<T>) target, values);
  }
}
