package ristretto.kernels.device;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import ristretto.kernels.ir.Kernel;

/**
 * A place to run kernels. Work on one device object runs in order (one stream); results of a launch
 * are visible to later calls of the same device object. Safe for use by several threads. {@link
 * #close()} frees every buffer.
 */
public interface Device extends AutoCloseable {
  /** As the user named it: {@code cpu}, {@code opencl:0}. */
  String name();

  /** For people: model, lanes or units, memory. */
  String description();

  /**
   * Memory for {@code bytes} bytes, aligned to 64, content undefined. @throws
   * ristretto.kernels.DeviceException when there is none
   */
  Buffer allocate(long bytes);

  /** The most bytes that a buffer can have, as far as the device says so. */
  default long largestBuffer() {
    return Long.MAX_VALUE;
  }

  /** What offsets of a {@link #part} are multiples of; 0 where buffers have no parts. */
  default int partAlignment() {
    return 0;
  }

  /**
   * Bytes of {@code whole} from {@code offset} on, as a buffer that is open until it, the whole or
   * the device is closed; closing it gives back no memory. Whoever writes to one of two parts that
   * overlap reads nothing of the other one before it is written again. Empty where buffers have no
   * parts.
   */
  default Optional<Buffer> part(Buffer whole, long offset, long bytes) {
    return Optional.empty();
  }

  /** Copies host memory to {@code buffer} from byte {@code offset} on. */
  void write(Buffer buffer, long offset, MemorySegment source);

  /**
   * Copies bytes of {@code buffer} from {@code offset} on into host memory; waits for pending work.
   */
  void read(Buffer buffer, long offset, MemorySegment target);

  /**
   * Compiles {@code kernel} or finds its code in the cache. @throws
   * ristretto.kernels.KernelException if it cannot be compiled
   */
  Launch prepare(Kernel kernel);

  /**
   * True if this product with what surrounds it runs better as one kernel of this device than as
   * several; {@link #prepare} is then asked for it.
   */
  default boolean fuses(Kernel.FusedGemm kernel) {
    return false;
  }

  /** False if {@link #fuses} is, for every kernel. */
  default boolean fusesSome() {
    return true;
  }

  /**
   * True if row kernels whose rows lie side by side in memory, as of sums over columns, run as well
   * with stores of elements as those stores alone would.
   */
  default boolean joinsColumns() {
    return false;
  }

  /**
   * True if a library of this device does this convolution; {@link #prepare} is then asked for it.
   */
  default boolean convolves(Kernel.Convolution kernel) {
    return false;
  }

  /**
   * Columns of the panels in which a right operand that stays the same from product to product is
   * best kept: each panel has its columns of all rows, row by row, and the product is a batch of
   * products with panels. 0 where such an operand is best left as it is.
   *
   * @param columns of the operand
   */
  default int panelColumns(long columns) {
    return 0;
  }

  /**
   * Makes one piece of work of launches of this device that run one after the other, again and
   * again, with the same buffers and scalars. Empty where that is no quicker than to launch them.
   */
  default Optional<Recording> record(List<Launch> launches, Buffer[] buffers, long[] scalars) {
    return Optional.empty();
  }

  /** Waits until all launched work is done. */
  void synchronize();

  /** Counters of this device since it was opened. */
  DeviceCounters counters();

  @Override
  void close();
}
