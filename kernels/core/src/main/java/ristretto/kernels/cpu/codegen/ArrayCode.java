package ristretto.kernels.cpu.codegen;

import ristretto.kernels.cpu.strip.Strip;

/** Generated scalar code of an {@link ArrayStrip}. */
interface ArrayCode {
  /**
   * Computes elements 0 to n - 1 of a strip.
   *
   * @param arrays arrays of the {@link ArrayLayout}
   * @param n at most {@link Strip#LENGTH}
   */
  void run(Object[] arrays, int n);
}
