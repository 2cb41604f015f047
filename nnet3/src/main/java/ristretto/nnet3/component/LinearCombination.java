package ristretto.nnet3.component;

import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.Matrix;

/**
 * Linear combination {@code scale * a + alpha * b} of parameters and statistics. Arrays are never
 * modified, so copies of a component may share them. An empty array counts as zeros.
 */
public record LinearCombination(float scale, float alpha) {
  public float[] of(float[] a, float[] b) {
    int n = Math.max(a.length, alpha == 0 ? 0 : b.length);
    var sum = new float[n];
    for (int i = 0; i < n; i++) {
      sum[i] = of(i < a.length ? a[i] : 0, i < b.length ? b[i] : 0);
    }
    return sum;
  }

  public double[] of(double[] a, double[] b) {
    int n = Math.max(a.length, alpha == 0 ? 0 : b.length);
    var sum = new double[n];
    for (int i = 0; i < n; i++) {
      sum[i] = of(i < a.length ? a[i] : 0, i < b.length ? b[i] : 0);
    }
    return sum;
  }

  public Matrix of(Matrix a, Matrix b) {
    boolean grown = a.rows() == 0 && alpha != 0;
    return new Matrix(
        grown ? b.rows() : a.rows(), grown ? b.cols() : a.cols(), of(a.data(), b.data()));
  }

  public DoubleMatrix of(DoubleMatrix a, DoubleMatrix b) {
    boolean grown = a.rows() == 0 && alpha != 0;
    return new DoubleMatrix(
        grown ? b.rows() : a.rows(), grown ? b.cols() : a.cols(), of(a.data(), b.data()));
  }

  public float of(float a, float b) {
    // Zero times infinity or NaN is zero, as in Kaldi.
    float scaled = scale == 0 ? 0 : a * scale;
    // The sum is rounded to float once, as by a fused multiply-add.
    return alpha == 0 ? scaled : (float) (scaled + (double) alpha * b);
  }

  public double of(double a, double b) {
    double scaled = scale == 0 ? 0 : a * scale;
    return alpha == 0 ? scaled : scaled + alpha * b;
  }

  public int of(int a, int b) {
    return (int) of((float) a, (float) b);
  }
}
