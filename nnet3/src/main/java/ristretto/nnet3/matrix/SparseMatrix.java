package ristretto.nnet3.matrix;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.ShapeException;

/** A matrix of sparse rows. */
public final class SparseMatrix implements GeneralMatrix {
  private final List<SparseVector> rows;

  /** Creates a matrix of rows, which must have the same dimension. */
  public SparseMatrix(List<SparseVector> rows) {
    this.rows = List.copyOf(rows);
    for (int r = 1; r < rows.size(); r++) {
      if (rows.get(r).dim() != rows.get(0).dim()) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[sparse] rows must have one dimension; got %d in row %d and %d before; give all"
                    + " the same.",
                rows.get(r).dim(),
                r,
                rows.get(0).dim()));
      }
    }
  }

  @Override
  public int rows() {
    return rows.size();
  }

  @Override
  public int cols() {
    return rows.isEmpty() ? 0 : rows.get(0).dim();
  }

  /** Rows of this matrix, unmodifiable. */
  public List<SparseVector> vectors() {
    return rows;
  }

  @Override
  public Matrix toMatrix() {
    int cols = cols();
    var to = new Matrix(cols == 0 ? 0 : rows(), cols);
    for (int r = 0; r < rows.size(); r++) {
      SparseVector row = rows.get(r);
      for (int k = 0; k < row.indices().length; k++) {
        to.data()[r * cols + row.indices()[k]] = row.values()[k];
      }
    }
    return to;
  }

  @Override
  public SparseMatrix scaled(float factor) {
    return new SparseMatrix(rows.stream().map(row -> row.scaled(factor)).toList());
  }

  @Override
  public SparseMatrix select(int[] wanted) {
    return new SparseMatrix(Arrays.stream(wanted).mapToObj(rows::get).toList());
  }

  @Override
  public String toString() {
    return "SparseMatrix[" + rows() + "x" + cols() + "]";
  }
}
