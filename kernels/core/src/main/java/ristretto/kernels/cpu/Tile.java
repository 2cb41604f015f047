package ristretto.kernels.cpu;

/**
 * Part of the iteration space that one call of a strip covers: {@code rows} times {@code cols}
 * points from {@code at} on, over two of the dimensions.
 */
final class Tile {
  /** First index, by dimension. */
  long[] at = new long[8];

  int rowDim;
  int colDim;

  /**
   * Step of {@code rowDim} between consecutive rows; not 1 if a long dimension is cut into rows.
   */
  long rowStep;

  int rows;
  int cols;

  /** Number of rows of a row kernel in the current group. */
  int width;

  /** True if the strip runs over {@code rows * cols} elements as one row. */
  boolean flat;

  /** Address of the thread's scratch memory. */
  long scratch;

  /**
   * True if operands that are equal for all tiles must be packed: they are not yet, or only for
   * fewer elements.
   */
  boolean first;

  /** Most elements of a tile so far. */
  int packed;

  void reserve(int rank) {
    if (at.length < rank) {
      at = new long[2 * rank];
    }
  }
}
