package ristretto.nnet3.component;

import ristretto.nnet3.matrix.Matrix;

/** Component dominated by products of rows with a weight matrix. */
public interface WeightMatrixComponent {
  /** Returns the weights: one row per output column, one column per input column. */
  Matrix weights();
}
