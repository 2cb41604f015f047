package ristretto.nnet3.io;

/** A full matrix of doubles, row by row. It shares the array it was made with. */
public final class DoubleMatrix {
  private final int rows;
  private final int cols;
  private final double[] data;

  /** Over the elements of all rows, one row after the other. */
  public DoubleMatrix(int rows, int cols, double[] data) {
    Extents.check(rows, cols, data.length);
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

  /** The elements, not a copy. */
  public double[] data() {
    return data;
  }

  /** One element. */
  public double get(int row, int col) {
    return data[Extents.at(row, col, rows, cols)];
  }

  @Override
  public String toString() {
    return "DoubleMatrix[" + rows + "x" + cols + "]";
  }
}
