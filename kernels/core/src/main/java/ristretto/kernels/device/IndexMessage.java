package ristretto.kernels.device;

/** What every device says of an index outside of its axis. */
public final class IndexMessage {
  private IndexMessage() {}

  /**
   * @param scatter the index says where to write
   * @param extent of the axis
   * @param index that is outside, found at {@code position} among the indices
   */
  public static String of(boolean scatter, long extent, long index, long position) {
    return (scatter ? "[scatterAdd]" : "[take]")
        + " indices must lie in ["
        + -extent
        + ", "
        + extent
        + "); got "
        + index
        + " at position "
        + position
        + "; check the indices or the axis they select "
        + (scatter ? "of the shape" : "from");
  }
}
