package ristretto.kernels.cpu.block;

/**
 * Loops over rows of one format. All implementations compute the same bits: a dot product is summed
 * in as many lanes as a vector has, which are then added up, the upper half to the lower half.
 */
interface BlockCode {
  /**
   * Multiplies rows with a vector.
   *
   * @param blocks address of the first row
   * @param step bytes from one row to the next
   * @param rows number of rows
   * @param x address of the vector, F32
   * @param k elements of a row
   * @param to address of the products, F32
   * @param work address of {@link BlockLaunch#work} bytes that the code may overwrite
   * @param last address of the last byte of the matrix, up to which the code may read ahead
   */
  void multiply(long blocks, long step, int rows, long x, long k, long to, long work, long last);

  /**
   * Decodes a part of a row.
   *
   * @param blocks address of the row
   * @param from first element, of a whole block
   * @param count number of elements, whole blocks unless the row ends
   * @param to address of the elements
   */
  void decode(long blocks, long from, long count, long to);
}
