package ristretto.expr.graph;

import java.util.List;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;

/** Planning of the work of one barrier: its requirements, then the steps that fill its target. */
public interface BarrierWork {
  /**
   * States, while the barrier is prepared, that an operand must be in memory; see {@link #memory}.
   */
  void requireMemory(Term operand);

  /**
   * States, while the barrier is prepared, that an operand must be in memory in row-major order.
   */
  void requireContiguous(Term operand);

  /** Memory with the values of a term: the term's own, a view of one, or a temporary. */
  StorageView memory(Term e);

  /** Memory with the values of a term in row-major order. */
  StorageView contiguous(Term e);

  /** Temporary: memory that exists while the assignment runs. */
  StorageView temporary(DType<?> dtype, Shape shape);

  /** Plans a further assignment, after those planned so far. */
  void assign(StorageView target, Term expr);

  /**
   * Plans the product with a block-quantized matrix, {@code target = a blocks'}.
   *
   * @param a row-major {@code [m, k]}
   * @param blocks row-major {@code [n, bytes of a row]}
   * @param target {@code [m, n]}
   */
  void multiply(BlockFormat format, StorageView a, StorageView blocks, StorageView target);

  /** Device that the plan runs on. */
  Device device();

  /**
   * Plans code on the host, which runs after the kernels planned so far, each time the plan runs.
   */
  void host(String what, Runnable work);

  /**
   * Plans code on the host that accesses nothing but the memory of {@code views}, so that the plan
   * serves later assignments with other memory.
   *
   * @param targets number of the first views, which it writes
   */
  void host(String what, HostWork work, List<StorageView> views, int targets);

  /** Code on the host that gets the buffers of its views, in order, for each run. */
  @FunctionalInterface
  interface HostWork {
    /** Runs after the kernels planned before. */
    void run(Device device, List<Buffer> buffers);
  }
}
