package ristretto.jmh.twin;

/**
 * Loops of all lines over raw addresses, in one language. Both languages are driven by the same
 * code and threads, so that only the loops differ.
 */
interface Kernels {
  /** Returns the loop of the element-wise line {@code name}. */
  MapTwins.Loop map(String name);

  double sum3(long a, long b, long c, int n);

  void softmax(long x, long y, long rows, int cols);

  void layerNorm(long x, long y, long rows, int cols);

  void rowSum(long x, long y, long rows, int cols);

  void addRows(long x, long stride, long rows, long y, int cols);

  void maxRows(long x, long stride, long rows, long y, int cols);

  void biasRelu(long x, long b, long y, long rows, int cols);

  void transpose(long x, long y, long rows, long cols, long from, long to);

  void evens(long x, long y, int n);
}
