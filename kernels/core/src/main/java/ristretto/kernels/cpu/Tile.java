package ristretto.kernels.cpu;

/**
 * The part of the iteration space that one call of a strip covers: {@code rows} times {@code cols}
 * points from {@code at} on, over two of the dimensions.
 */
final class Tile {
  /** First index by dimension. */
  long[] at = new long[8];

  int rowDim;
  int colDim;

  /**
   * A row is so many steps of {@code rowDim} after the one before; not 1 where a long dimension is
   * cut into rows.
   */
  long rowStep;

  int rows;
  int cols;

  /** Rows of a row kernel that are worked on together. */
  int width;

  /** The strip runs over {@code rows * cols} elements as one row. */
  boolean flat;

  /** Scratch memory of the thread. */
  long scratch;

  /** What does not change from tile to tile must be packed: nothing is yet, or fewer elements. */
  boolean first;

  /** Most elements of a tile so far. */
  int packed;

  void reserve(int rank) {
    if (at.length < rank) {
      at = new long[2 * rank];
    }
  }
}
