package ristretto.kernels.cpu;

/** Compiled code of a {@link StripSpec}. */
interface Strip {
  /** Bytes of scratch that {@link #run} needs; 0 for bodies that are not split. */
  int scratchBytes();

  /**
   * Runs {@code rows} rows of {@code n} elements; a row is one strip of the spec (the vector tail
   * of each row is masked).
   *
   * @param pointers raw addresses: inputs by slot, then stores by output (ignored for outputs that
   *     accumulate)
   * @param rowStrides bytes added to each pointer from row to row, same order; 0 for SCALAR, INDEX
   *     and ACCUMULATE operands is usual, but SCALAR and ACCUMULATE ones may move too
   * @param scratch address of scratchBytes() bytes, 64-byte aligned
   */
  void run(long[] pointers, long[] rowStrides, int rows, int n, long scratch);
}
