package ristretto.kernels.source;

/**
 * The properties of a device that its code depends on.
 *
 * @param wide it computes in F64
 * @param mapGroup work items of a group of independent ones
 * @param rowGroup work items of a group that works together
 * @param units groups that run at the same time, about
 * @param localBytes memory that a group shares
 * @param vectorBytes of a processor's vectors, if work items are to go through many neighbours
 *     each, in loops that its compiler turns into vector code; the dialect then has what that
 *     takes; else 0
 * @param warps each 32 neighbours of a group run together and can exchange values, a work item
 *     loads 16 bytes at once, and a launch has at most 65535 groups in the second and third
 *     dimension: NVIDIA's GPUs; the dialect then has {@code SHUFFLE} and its companions
 */
public record Target(
    Dialect dialect,
    boolean wide,
    int mapGroup,
    int rowGroup,
    int units,
    long localBytes,
    int vectorBytes,
    boolean warps) {
  /** Without warps. */
  public Target(
      Dialect dialect,
      boolean wide,
      int mapGroup,
      int rowGroup,
      int units,
      long localBytes,
      int vectorBytes) {
    this(dialect, wide, mapGroup, rowGroup, units, localBytes, vectorBytes, false);
  }

  /** Of a GPU without warps. */
  public Target(
      Dialect dialect, boolean wide, int mapGroup, int rowGroup, int units, long localBytes) {
    this(dialect, wide, mapGroup, rowGroup, units, localBytes, 0);
  }

  boolean strips() {
    return vectorBytes > 0;
  }
}
