package ristretto.kernels.device;

import java.util.Optional;

/**
 * A kernel that is compiled and bound to sizes and layouts; runs on any buffers of fitting size.
 */
public interface Launch {
  /**
   * Runs the kernel.
   *
   * @param buffers by the kernel's buffer argument numbers
   * @param scalars by the kernel's launch-scalar numbers, bits as in Node.Const
   */
  void run(Buffer[] buffers, long[] scalars);

  /**
   * Checks what a run checks before it writes anything: indices that are read must be in range.
   *
   * @param buffers as for a run
   * @throws ristretto.kernels.ShapeException if an index is out of range
   */
  default void check(Buffer[] buffers) {}

  /**
   * The same work on other memory: argument k of this kernel is argument {@code arguments[k]} of
   * the new launch, {@code offsets[k]} bytes on, and launch scalar k is {@code scalars[k]}. Empty
   * where this is no less work than to prepare a kernel. The arrays are not changed any more.
   */
  default Optional<Launch> moved(int[] arguments, long[] offsets, int[] scalars) {
    return Optional.empty();
  }

  /** Name of the kernel. */
  String name();

  /** Bytes read and written by one run, for profiles. */
  long bytes();

  /** Floating-point operations of one run, for profiles. */
  long operations();

  /** The generated source or IR, for people. */
  String source();
}
