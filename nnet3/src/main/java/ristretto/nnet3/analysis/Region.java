package ristretto.nnet3.analysis;

import java.util.Locale;

/**
 * A rectangle of a matrix.
 *
 * @param memory its number
 * @param toRow after the last row
 * @param toColumn after the last column
 */
public record Region(int memory, int fromRow, int toRow, int fromColumn, int toColumn) {
  boolean meets(Region other) {
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
