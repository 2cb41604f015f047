package ristretto.jmh.line;

import java.util.function.DoubleBinaryOperator;
import java.util.function.LongToDoubleFunction;

/** Lines over rows and axes, in double precision. */
final class RowFormulas {
  private RowFormulas() {}

  /** Folds {@code n} values. */
  static double fold(long n, double start, DoubleBinaryOperator op, LongToDoubleFunction value) {
    double result = start;
    for (long i = 0; i < n; i++) {
      result = op.applyAsDouble(result, value.applyAsDouble(i));
    }
    return result;
  }

  static double sum(long n, LongToDoubleFunction value) {
    return fold(n, 0, Double::sum, value);
  }

  static double softmax(Dims d, Input x, long index) {
    long cols = d.get(1);
    long start = index / cols * cols;
    double most = fold(cols, Double.NEGATIVE_INFINITY, Math::max, j -> x.value(0, start + j));
    double total = sum(cols, j -> Math.exp(x.value(0, start + j) - most));
    return Math.exp(x.value(0, index) - most) / total;
  }

  static double layerNorm(Dims d, Input x, long index) {
    long cols = d.get(1);
    long start = index / cols * cols;
    double mean = sum(cols, j -> x.value(0, start + j)) / cols;
    double variance =
        sum(
                cols,
                j -> {
                  double off = x.value(0, start + j) - mean;
                  return off * off;
                })
            / cols;
    return (x.value(0, index) - mean) / Math.sqrt(variance + 1e-5);
  }
}
