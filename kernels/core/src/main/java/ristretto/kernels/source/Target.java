package ristretto.kernels.source;

import ristretto.kernels.ir.Kernel;

/**
 * Properties of a device on which rendered code depends.
 *
 * @param wide true if the device computes in F64
 * @param mapGroup work items per group of independent work items
 * @param rowGroup work items per group of cooperating work items
 * @param units approximate number of groups that run concurrently
 * @param localBytes local memory of a group, in bytes
 * @param vectorBytes vector size of a CPU, in bytes, if each work item is to process many
 *     consecutive elements in loops that the compiler vectorizes; the dialect then has the macros
 *     for vectors. 0 otherwise
 * @param warps true if 32 adjacent work items of a group run together and can exchange values, a
 *     work item loads 16 bytes at once, and a launch has at most 65535 groups in the second and
 *     third dimension, as on NVIDIA GPUs; the dialect then has {@code SHUFFLE} and the other macros
 *     for warps
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
  /** Creates a target without warps. */
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

  /** Creates a target for a GPU without warps. */
  public Target(
      Dialect dialect, boolean wide, int mapGroup, int rowGroup, int units, long localBytes) {
    this(dialect, wide, mapGroup, rowGroup, units, localBytes, 0);
  }

  boolean strips() {
    return vectorBytes > 0;
  }

  /**
   * Returns true if the rendered kernel of a fused product with blocks takes less time than several
   * kernels. A prologue is evaluated for each row of blocks, which takes processors longer than a
   * kernel of its own.
   */
  public boolean fuses(Kernel.FusedGemm kernel) {
    return kernel.left().isEmpty() || rowGroup > 1;
  }
}
