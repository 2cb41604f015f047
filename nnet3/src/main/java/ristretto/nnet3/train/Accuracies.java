package ristretto.nnet3.train;

import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;

/** Accuracy per row: compares the largest element of the output with that of the target. */
final class Accuracies {
  private Accuracies() {}

  static void add(
      ComputeProb.Accuracy to, Tensor<F32> output, GeneralMatrix targets, boolean perDim) {
    int cols = targets.cols();
    if (perDim && to.weights.length == 0) {
      to.weights = new double[cols];
      to.rights = new double[cols];
    }
    float[] outputs = output.toFloatArray();
    float[] dense = targets instanceof SparseMatrix ? null : targets.toMatrix().data();
    for (int r = 0; r < targets.rows(); r++) {
      int best = largest(outputs, r * cols, cols);
      double weight = 0;
      int wanted;
      if (targets instanceof SparseMatrix sparse) {
        SparseVector row = sparse.vectors().get(r);
        int k = largest(row.values(), 0, row.values().length);
        wanted = k < 0 ? -1 : row.indices()[k];
        for (float value : row.values()) {
          weight += value;
        }
      } else {
        wanted = largest(dense, r * cols, cols);
        for (int c = 0; c < cols; c++) {
          weight += dense[r * cols + c];
        }
      }
      boolean right = best == wanted;
      to.weight += weight;
      to.right += right ? weight : 0;
      if (perDim && wanted >= 0) {
        to.weights[wanted] += weight;
        to.rights[wanted] += right ? weight : 0;
      }
    }
  }

  private static int largest(float[] values, int at, int count) {
    int best = count == 0 ? -1 : 0;
    for (int k = 1; k < count; k++) {
      if (values[at + k] > values[at + best]) {
        best = k;
      }
    }
    return best;
  }
}
