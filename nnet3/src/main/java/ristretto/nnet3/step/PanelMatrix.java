package ristretto.nnet3.step;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.matrix.Matrix;

/**
 * Transposed matrix in panels of columns, a layout that products read without packing.
 *
 * @param w {@code [panels, depth, columns per panel]}; the last panel is padded with zeros
 */
record PanelMatrix(Tensor<F32> w) {
  /** Packs columns [from, to) of a matrix on the host. */
  static float[] of(Matrix m, int from, int to, int columns) {
    int depth = to - from;
    int count = Math.ceilDiv(m.rows(), columns);
    var all = new float[count * depth * columns];
    int at = 0;
    for (int first = 0; first < m.rows(); first += columns) {
      int some = Math.min(columns, m.rows() - first);
      for (int k = from; k < to; k++) {
        for (int c = 0; c < some; c++) {
          all[at + c] = m.data()[(first + c) * m.cols() + k];
        }
        at += columns;
      }
    }
    return all;
  }

  /**
   * Packs columns [from, to) of a matrix on the device; its number of rows must be a multiple of
   * the panel's columns.
   */
  static PanelMatrix of(Context context, Tensor<F32> m, int from, int to, int columns) {
    Expr<F32> rows = m.slice(all(), range(from, to));
    return new PanelMatrix(
        context.eval(
            rows.reshape(m.shape().dim(0) / columns, columns, (long) to - from).permute(0, 2, 1)));
  }

  /** Returns {@code x} times the transposed matrix, to be assigned to {@link #target}. */
  Expr<F32> product(Expr<F32> x) {
    return dot(x.unsqueeze(0), w);
  }

  /** Returns the view of a padded result that matches the shape of {@link #product}. */
  Tensor<F32> target(Tensor<F32> y) {
    return y.reshape(y.shape().dim(0), w.shape().dim(0), w.shape().dim(2)).permute(1, 0, 2);
  }
}
