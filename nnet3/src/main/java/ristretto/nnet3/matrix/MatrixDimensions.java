package ristretto.nnet3.matrix;

import java.util.Locale;
import ristretto.kernels.ShapeException;

/** Checks of matrix dimensions: rows and columns are both 0, or both at least 1. */
public final class MatrixDimensions {
  private MatrixDimensions() {}

  /** Returns true if a matrix may have these dimensions. */
  public static boolean allowed(int rows, int cols) {
    return rows >= 0 && cols >= 0 && (rows == 0) == (cols == 0);
  }

  static int size(int rows, int cols) {
    long size = (long) rows * cols;
    if (!allowed(rows, cols) || size > Integer.MAX_VALUE - 8) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[matrix] a matrix must have rows and columns, or neither, and at most %d elements;"
                  + " got %d rows and %d columns; give other extents.",
              Integer.MAX_VALUE - 8,
              rows,
              cols));
    }
    return (int) size;
  }

  static void check(int rows, int cols, int length) {
    if (size(rows, cols) != length) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[matrix] elements must fill all rows; got %d elements for %d rows of %d columns;"
                  + " give %d elements.",
              length,
              rows,
              cols,
              rows * cols));
    }
  }

  static int at(int row, int col, int rows, int cols) {
    if (row < 0 || row >= rows || col < 0 || col >= cols) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[matrix] a row and a column must lie within the matrix; got row %d and column %d"
                  + " of %d rows and %d columns; count from 0.",
              row,
              col,
              rows,
              cols));
    }
    return row * cols + col;
  }
}
