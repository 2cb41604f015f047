package ristretto.nnet3.io;

/** A matrix of floats as archives hold it. */
public sealed interface GeneralMatrix permits Matrix, CompressedMatrix, SparseMatrix {
  /** Number of rows. */
  int rows();

  /** Number of columns. */
  int cols();

  /** As a full matrix: itself if it is one. */
  Matrix toMatrix();

  /** All elements times a factor; a compressed matrix stays one. */
  GeneralMatrix scaled(float factor);

  /** Some rows, by their numbers; of a compressed matrix as a full one. */
  GeneralMatrix select(int[] rows);
}
