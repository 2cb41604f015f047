package ristretto.kernels.cpu;

/**
 * A convolution of certain sizes, prepared by a {@link ConvolutionLibrary}: phases one after the
 * other, each in shares that may run at the same time. How many shares there are depends on the
 * sizes only, so results do not depend on the number of threads. Safe for use by several threads.
 */
public interface ConvolutionRoutine {
  /** The library's names of the code it chose. */
  String words();

  /** How many phases there are. */
  int phases();

  /** How many shares a phase has. */
  int shares(int phase);

  /** Memory that all shares of a run have in common, aligned to 64. */
  long sharedBytes();

  /** Memory of its own for each thread that works on a run, aligned to 64. */
  long scratchBytes();

  /** Makes what so many threads need, so that their runs allocate nothing. */
  void reserve(int threads);

  /**
   * Does the shares {@code from} to {@code to - 1} of a phase; addresses are of operands' starts.
   */
  void run(
      int phase, int from, int to, long image, long filter, long result, long shared, long scratch);
}
