package ristretto.nnet3.forward;

import static ristretto.expr.Ops.dot;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.F32;

/** Sums of rows as a product with a matrix of ones. */
final class RowSums {
  private RowSums() {}

  /** For each of {@code use} the sum of the rows of {@code a} that it names, along axis 0. */
  static Expr<F32> of(Resident resident, Expr<F32> a, List<int[]> use) {
    int from = (int) a.shape().dim(0);
    var ones = new float[use.size() * from];
    for (int k = 0; k < use.size(); k++) {
      for (int place : use.get(k)) {
        ones[k * from + place] = 1;
      }
    }
    long width = a.shape().dim(1) * a.shape().dim(2);
    Expr<F32> matrix = resident.context().tensor(ones, use.size(), from);
    return dot(matrix, a.reshape(from, width))
        .reshape(use.size(), a.shape().dim(1), a.shape().dim(2));
  }
}
