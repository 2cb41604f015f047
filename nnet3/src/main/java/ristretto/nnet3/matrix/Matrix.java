package ristretto.nnet3.matrix;

import java.io.Serializable;
import java.util.Locale;
import ristretto.kernels.ShapeException;

/**
 * A full row-major matrix of floats. It shares the array passed to its constructor.
 *
 * @serial exclude
 */
public final class Matrix implements GeneralMatrix, Serializable {
  private static final long serialVersionUID = 1L;

  private final int rows;
  private final int cols;
  private final float[] data;

  /** Wraps a row-major array of {@code rows * cols} elements, without copying it. */
  public Matrix(int rows, int cols, float[] data) {
    MatrixDimensions.check(rows, cols, data.length);
    this.rows = rows;
    this.cols = cols;
    this.data = data;
  }

  /** Creates a matrix of zeros. */
  public Matrix(int rows, int cols) {
    this(rows, cols, new float[MatrixDimensions.size(rows, cols)]);
  }

  /** Creates a matrix from copies of rows, which must have equal lengths. */
  public static Matrix of(float[]... rows) {
    int cols = rows.length == 0 ? 0 : rows[0].length;
    var to = new Matrix(rows.length, cols);
    for (int r = 0; r < rows.length; r++) {
      if (rows[r].length != cols) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[matrix] rows must have one length; got %d elements in row %d and %d before; pad"
                    + " the rows.",
                rows[r].length,
                r,
                cols));
      }
      System.arraycopy(rows[r], 0, to.data, r * cols, cols);
    }
    return to;
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public int cols() {
    return cols;
  }

  /** Elements in row-major order, not a copy. */
  public float[] data() {
    return data;
  }

  /** Element at a row and a column, counted from 0. */
  public float get(int row, int col) {
    return data[MatrixDimensions.at(row, col, rows, cols)];
  }

  /** Sets the element at a row and a column, counted from 0. */
  public void set(int row, int col, float value) {
    data[MatrixDimensions.at(row, col, rows, cols)] = value;
  }

  /** A copy of a row. */
  public float[] row(int row) {
    var to = new float[cols];
    System.arraycopy(data, MatrixDimensions.at(row, 0, rows, Math.max(cols, 1)), to, 0, cols);
    return to;
  }

  @Override
  public Matrix toMatrix() {
    return this;
  }

  @Override
  public Matrix scaled(float factor) {
    var to = new Matrix(rows, cols);
    for (int k = 0; k < data.length; k++) {
      to.data[k] = data[k] * factor;
    }
    return to;
  }

  @Override
  public Matrix select(int[] wanted) {
    var to = new Matrix(wanted.length, wanted.length == 0 ? 0 : cols);
    for (int r = 0; r < wanted.length; r++) {
      System.arraycopy(
          data, MatrixDimensions.at(wanted[r], 0, rows, cols), to.data, r * cols, cols);
    }
    return to;
  }

  @Override
  public String toString() {
    return "Matrix[" + rows + "x" + cols + "]";
  }
}
