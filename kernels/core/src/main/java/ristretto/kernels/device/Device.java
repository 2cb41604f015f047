package ristretto.kernels.device;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * A device that runs kernels. Work on one device object runs in order (one stream); results of a
 * launch are visible to later calls of the same device object. Safe for use by several threads.
 * {@link #close()} frees every buffer.
 */
public interface Device extends AutoCloseable {
  /** Name by which the user opens the device: {@code cpu}, {@code opencl:0}. */
  String name();

  /** Human-readable description: model, lanes or compute units, memory. */
  String description();

  /**
   * Allocates a buffer of {@code bytes} bytes, aligned to 64 bytes, with undefined content.
   *
   * @throws ristretto.kernels.DeviceException if the device has not enough memory
   */
  Buffer allocate(long bytes);

  /**
   * Size in bytes of the largest possible buffer; {@link Long#MAX_VALUE} if the device states no
   * limit.
   */
  default long largestBuffer() {
    return Long.MAX_VALUE;
  }

  /** Alignment in bytes of the offset of a {@link #part}; 0 if buffers have no parts. */
  default int partAlignment() {
    return 0;
  }

  /**
   * Returns {@code bytes} bytes of {@code whole} from byte {@code offset} on as a buffer. The part
   * is open until the part, the whole or the device is closed; closing the part frees no memory.
   * Writing to one of two overlapping parts leaves the content of the other undefined until it is
   * written again. Empty if the device has no parts of buffers.
   */
  default Optional<Buffer> part(Buffer whole, long offset, long bytes) {
    return Optional.empty();
  }

  /**
   * Returns memory of the host as a buffer, which keeps the segment reachable and whose closing
   * frees nothing. The memory must be writable and stay accessible until the segment is
   * unreachable. Empty if the device cannot read memory of the host in place.
   */
  default Optional<Buffer> wrap(MemorySegment memory) {
    return Optional.empty();
  }

  /** Copies host memory to {@code buffer} from byte {@code offset} on. */
  void write(Buffer buffer, long offset, MemorySegment source);

  /**
   * Copies bytes of {@code buffer} from byte {@code offset} on to host memory; waits for pending
   * work.
   */
  void read(Buffer buffer, long offset, MemorySegment target);

  /**
   * Memory of {@code buffer} that code on the host may access in place, while no launch runs. Empty
   * if the host must copy elements with {@link #read} and {@link #write}.
   */
  default Optional<MemorySegment> hostMemory(Buffer buffer) {
    return Optional.empty();
  }

  /**
   * Runs numbered tasks of code on the host, in any order and perhaps concurrently; returns when
   * all have ended, and throws the exception of a task that failed.
   */
  default void runOnHost(int tasks, IntConsumer task) {
    for (int k = 0; k < tasks; k++) {
      task.accept(k);
    }
  }

  /**
   * Compiles {@code kernel}, or finds its code in the cache.
   *
   * @throws ristretto.kernels.KernelException if the kernel cannot be compiled
   */
  Launch prepare(Kernel kernel);

  /**
   * Announces products with a block-quantized matrix, so that code that takes long to compile is
   * compiled in the background before it is needed.
   *
   * @param elements number of elements of the matrix
   */
  default void expect(BlockFormat format, long elements) {}

  /**
   * Returns true if this device has a kernel for matrix products of this type: F32 and F64 on every
   * device. Products of other types are sums of products.
   */
  default boolean multiplies(ScalarType type) {
    return type == ScalarType.F32 || type == ScalarType.F64;
  }

  /**
   * Returns true if this device runs the product and its element-wise prologues and epilogue faster
   * as one kernel than as several; the caller then passes the fused kernel to {@link #prepare}.
   */
  default boolean fuses(Kernel.FusedGemm kernel) {
    return false;
  }

  /**
   * Returns true if row kernels whose rows are adjacent in memory, such as column sums, run as fast
   * with additional stores of elements as those stores would in a kernel of their own.
   */
  default boolean supportsFusedColumnSums() {
    return false;
  }

  /**
   * Returns true if a library of this device computes this convolution; the caller then passes the
   * convolution to {@link #prepare}.
   */
  default boolean convolves(Kernel.Convolution kernel) {
    return false;
  }

  /**
   * Largest number of buffers and scalars that a kernel may read, so that its arguments are as few
   * as languages and drivers guarantee.
   */
  default int mostOperands() {
    return Integer.MAX_VALUE;
  }

  /** Library of factorizations of this device; if it is empty, the host factorizes matrices. */
  default Optional<Solvers> solvers() {
    return Optional.empty();
  }

  /**
   * Returns the layout in which this device computes Fourier transforms; the caller then passes
   * them to {@link #prepare}. If it is empty, transforms are made of element-wise kernels.
   */
  default Optional<Kernel.Fourier.Layout> transforms() {
    return Optional.empty();
  }

  /**
   * Returns the panel width, in columns, in which to keep a right operand that is constant over
   * many products. Each panel holds its columns of all rows, row by row, and the product becomes a
   * batch of products with panels. 0 if the operand is best left in its layout.
   *
   * @param columns number of columns of the operand
   */
  default int panelColumns(long columns) {
    return 0;
  }

  /**
   * Records launches of this device that run in order, repeatedly, with the same buffers and
   * scalars, as one unit of work. Empty if replaying a recording is no faster than the launches.
   */
  default Optional<Recording> record(List<Launch> launches, Buffer[] buffers, long[] scalars) {
    return Optional.empty();
  }

  /** Waits until all launched work has finished. */
  void synchronize();

  /** Returns the counters of this device since it was opened. */
  DeviceCounters counters();

  @Override
  void close();
}
