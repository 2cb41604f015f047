package ristretto.nnet3.component;

import ristretto.nnet3.io.Matrix;

/** A component most of whose work is products of rows with a matrix. */
public interface Weighted {
  /** A row for each column that is made, and a column for each that is read. */
  Matrix weights();
}
