package ristretto.nnet3.matrix;

/** A full row-major matrix of doubles. It shares the array passed to its constructor. */
public final class DoubleMatrix {
  private final int rows;
  private final int cols;
  private final double[] data;

  /** Wraps a row-major array of {@code rows * cols} elements, without copying it. */
  public DoubleMatrix(int rows, int cols, double[] data) {
    MatrixDimensions.check(rows, cols, data.length);
    this.rows = rows;
    this.cols = cols;
    this.data = data;
  }

  /** Number of rows. */
  public int rows() {
    return rows;
  }

  /** Number of columns. */
  public int cols() {
    return cols;
  }

  /** Elements in row-major order, not a copy. */
  public double[] data() {
    return data;
  }

  /** Element at a row and a column, counted from 0. */
  public double get(int row, int col) {
    return data[MatrixDimensions.at(row, col, rows, cols)];
  }

  @Override
  public String toString() {
    return "DoubleMatrix[" + rows + "x" + cols + "]";
  }
}
