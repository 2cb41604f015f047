package ristretto.nnet3.analysis;

import java.util.Locale;

/**
 * Rectangle of a matrix.
 *
 * @param memory number of the matrix
 * @param fromRow first row
 * @param toRow end of the rows, exclusive
 * @param fromColumn first column
 * @param toColumn end of the columns, exclusive
 */
public record SubMatrix(int memory, int fromRow, int toRow, int fromColumn, int toColumn) {
  boolean meets(SubMatrix other) {
    return memory == other.memory
        && fromRow < other.toRow
        && other.fromRow < toRow
        && fromColumn < other.toColumn
        && other.fromColumn < toColumn;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "rows %d..%d, columns %d..%d", fromRow, toRow - 1, fromColumn, toColumn - 1);
  }
}
