package ristretto.kernels.device;

/** Error message for an index out of range, shared by all devices. */
public final class IndexMessage {
  private IndexMessage() {}

  /**
   * Returns the message for one index out of range.
   *
   * @param scatter true if the index selects where to write
   * @param extent size of the axis
   * @param index the invalid index, found at {@code position} among the indices
   */
  public static String of(boolean scatter, long extent, long index, long position) {
    return ("%s indices must lie in [%s, %s); got %s at position %s; check the indices or the axis"
            + " they select %s")
        .formatted(
            scatter ? "[scatterAdd]" : "[take]",
            -extent,
            extent,
            index,
            position,
            scatter ? "of the shape" : "from");
  }
}
