package ristretto.kernels.cpu;

/** Generated scalar code of an {@link ArrayStrip}. */
interface ArrayCode {
  /**
   * Computes elements 0 to n of a strip.
   *
   * @param arrays as {@link ArrayLayout} says
   * @param n at most {@link Plan#STRIP}
   */
  void run(Object[] arrays, int n);
}
