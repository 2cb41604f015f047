package ristretto.kernels.device;

import java.util.Optional;

/** A kernel compiled and bound to sizes and layouts; runs on any buffers of sufficient size. */
public interface Launch {
  /**
   * Runs the kernel.
   *
   * @param buffers by the kernel's buffer argument numbers
   * @param scalars by the kernel's launch-scalar numbers, encoded as in {@code Node.Const}
   */
  void run(Buffer[] buffers, long[] scalars);

  /**
   * Checks that all gathered indices are in range, as a run does before its first write.
   *
   * @param buffers as for {@link #run}
   * @throws ristretto.kernels.ShapeException if an index is out of range
   */
  default void check(Buffer[] buffers) {}

  /**
   * Returns a launch of the same kernel with other arguments: buffer argument k of this kernel is
   * argument {@code arguments[k]} of the new launch, at a further offset of {@code offsets[k]}
   * bytes, and launch scalar k is {@code scalars[k]}. Empty if preparing the kernel again costs no
   * more. The caller must not change the arrays afterwards.
   */
  default Optional<Launch> moved(int[] arguments, long[] offsets, int[] scalars) {
    return Optional.empty();
  }

  /** Name of the kernel. */
  String name();

  /** Bytes read and written by one run, for profiling. */
  long bytes();

  /** Floating-point operations of one run, for profiling. */
  long operations();

  /** Generated source or IR, for debug output. */
  String source();
}
