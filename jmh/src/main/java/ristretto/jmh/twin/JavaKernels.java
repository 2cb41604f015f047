package ristretto.jmh.twin;

/** Loops with the Vector API. */
final class JavaKernels implements Kernels {
  @Override
  public MapTwins.Loop map(String name) {
    return MapTwins.named(name);
  }

  @Override
  public double sum3(long a, long b, long c, int n) {
    return RowTwins.sum3(a, b, c, n);
  }

  @Override
  public void softmax(long x, long y, long rows, int cols) {
    for (long r = 0; r < rows; r++) {
      RowTwins.softmax(x + 4 * r * cols, y + 4 * r * cols, cols);
    }
  }

  @Override
  public void layerNorm(long x, long y, long rows, int cols) {
    for (long r = 0; r < rows; r++) {
      RowTwins.layerNorm(x + 4 * r * cols, y + 4 * r * cols, cols);
    }
  }

  @Override
  public void rowSum(long x, long y, long rows, int cols) {
    for (long r = 0; r < rows; r++) {
      Raw.set(y + 4 * r, RowTwins.sum(x + 4 * r * cols, cols));
    }
  }

  @Override
  public void addRows(long x, long stride, long rows, long y, int cols) {
    RowTwins.addRows(x, stride, rows, y, cols);
  }

  @Override
  public void maxRows(long x, long stride, long rows, long y, int cols) {
    RowTwins.maxRows(x, stride, rows, y, cols);
  }

  @Override
  public void biasRelu(long x, long b, long y, long rows, int cols) {
    for (long r = 0; r < rows; r++) {
      RowTwins.biasRelu(x + 4 * r * cols, b, y + 4 * r * cols, cols);
    }
  }

  @Override
  public void transpose(long x, long y, long rows, long cols, long from, long to) {
    LayoutTwins.transpose(x, y, rows, cols, from, to);
  }

  @Override
  public void evens(long x, long y, int n) {
    LayoutTwins.evens(x, y, n);
  }
}
