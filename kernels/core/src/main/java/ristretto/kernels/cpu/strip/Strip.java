package ristretto.kernels.cpu.strip;

/** Compiled code of a {@link StripSpec}. */
public interface Strip {
  /**
   * Number of elements that all segments process before the next strip; a multiple of every lane
   * count.
   */
  int LENGTH = 1024;

  /** Bytes of scratch that {@link #run} needs; 0 if the code needs none. */
  int scratchBytes();

  /**
   * Runs {@code rows} rows of {@code n} elements. Vector code pads the last elements of each row to
   * full vectors.
   *
   * @param pointers raw addresses: inputs by slot, then stores by output (ignored for outputs that
   *     accumulate)
   * @param rowStrides bytes added to each pointer per row, in the order of {@code pointers};
   *     usually 0 for SCALAR, INDEX and ACCUMULATE operands, but SCALAR and ACCUMULATE ones may
   *     vary by row
   * @param scratch address of scratchBytes() bytes, 64-byte aligned
   */
  void run(long[] pointers, long[] rowStrides, int rows, int n, long scratch);
}
