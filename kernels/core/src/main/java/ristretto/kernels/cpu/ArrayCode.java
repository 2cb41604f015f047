package ristretto.kernels.cpu;

/** Generated scalar code of an {@link ArrayStrip}. */
interface ArrayCode {
  /**
   * Computes elements 0 to n - 1 of a strip.
   *
   * @param arrays arrays of the {@link ArrayLayout}
   * @param n at most {@link Plan#STRIP}
   */
  void run(Object[] arrays, int n);
}
