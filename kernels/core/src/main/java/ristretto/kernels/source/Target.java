package ristretto.kernels.source;

/**
 * The properties of a device that its code depends on.
 *
 * @param wide it computes in F64
 * @param mapGroup work items of a group of independent ones
 * @param rowGroup work items of a group that works together
 * @param units groups that run at the same time, about
 * @param localBytes memory that a group shares
 * @param strips work items go through many neighbours each, in loops that the compiler turns into
 *     vector code: drivers of processors; the dialect then has {@code INDEPENDENT}
 */
public record Target(
    Dialect dialect,
    boolean wide,
    int mapGroup,
    int rowGroup,
    int units,
    long localBytes,
    boolean strips) {
  /** Without strips. */
  public Target(
      Dialect dialect, boolean wide, int mapGroup, int rowGroup, int units, long localBytes) {
    this(dialect, wide, mapGroup, rowGroup, units, localBytes, false);
  }
}
