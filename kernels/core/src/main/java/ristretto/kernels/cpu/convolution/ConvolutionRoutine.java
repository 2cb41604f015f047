package ristretto.kernels.cpu.convolution;

/**
 * Convolution of fixed sizes, prepared by a {@link ConvolutionLibrary}: consecutive phases, each
 * divided into shares that may run concurrently. The number of shares depends only on the sizes, so
 * that results do not depend on the number of threads. Safe for use by several threads.
 */
public interface ConvolutionRoutine {
  /** Returns the library's names of the chosen implementations. */
  String words();

  /** Returns the number of phases. */
  int phases();

  /** Returns the number of shares of a phase. */
  int shares(int phase);

  /** Returns the bytes of memory that all shares of a run have in common; aligned to 64. */
  long sharedBytes();

  /** Returns the bytes of memory that each thread of a run needs for itself; aligned to 64. */
  long scratchBytes();

  /**
   * Allocates the state of {@code threads} threads, so that runs by that many threads allocate
   * nothing.
   */
  void reserve(int threads);

  /**
   * Runs the shares {@code from} to {@code to - 1} of a phase.
   *
   * @param image address of the images' first byte
   * @param filter address of the filters' first byte
   * @param result address of the results' first byte
   * @param shared address of {@link #sharedBytes} bytes, one area per run
   * @param scratch address of {@link #scratchBytes} bytes, one area per thread
   */
  void run(
      int phase, int from, int to, long image, long filter, long result, long shared, long scratch);
}
