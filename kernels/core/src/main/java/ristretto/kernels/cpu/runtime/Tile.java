package ristretto.kernels.cpu.runtime;

/**
 * Part of the iteration space that one call of a strip covers: {@code rows} times {@code cols}
 * points from {@code at} on, over two of the dimensions.
 */
public final class Tile {
  /** First index, by dimension. */
  public long[] at = new long[8];

  public int rowDim;
  public int colDim;

  /**
   * Step of {@code rowDim} between consecutive rows; not 1 if a long dimension is cut into rows.
   */
  public long rowStep;

  public int rows;
  public int cols;

  /** Number of rows of a row kernel in the current group. */
  public int width;

  /** True if the strip runs over {@code rows * cols} elements as one row. */
  public boolean flat;

  /** Address of the thread's scratch memory. */
  public long scratch;

  /**
   * True if operands that are equal for all tiles must be packed: they are not yet, or only for
   * fewer elements.
   */
  public boolean first;

  /** Most elements of a tile so far. */
  public int packed;

  public void reserve(int rank) {
    if (at.length < rank) {
      at = new long[2 * rank];
    }
  }
}
