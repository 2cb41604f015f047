package ristretto.kernels.device;

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

  /** Name of the kernel. */
  String name();

  /** Bytes read and written by one run, for profiles. */
  long bytes();

  /** Floating-point operations of one run, for profiles. */
  long operations();

  /** The generated source or IR, for people. */
  String source();
}
