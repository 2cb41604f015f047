package ristretto.nnet3.matrix;

/** A matrix of floats in a form that archives store: full, compressed or sparse. */
public sealed interface GeneralMatrix permits Matrix, CompressedMatrix, SparseMatrix {
  /** Number of rows. */
  int rows();

  /** Number of columns. */
  int cols();

  /** Converts to a full matrix; returns this matrix if it is one. */
  Matrix toMatrix();

  /** Multiplies all elements by a factor; the result has the same form. */
  GeneralMatrix scaled(float factor);

  /** Selects rows by index, counted from 0; rows of a compressed matrix become a full one. */
  GeneralMatrix select(int[] rows);
}
