package ristretto.kernels.cpu;

/** Sums of a {@link ScatterLaunch} and the memory they accumulate in. */
abstract sealed class ScatterSums permits ScatterInPlace, ScatterLines, ScatterElements {
  /** Visits of the points of a block. */
  enum Pass {
    BEGIN,
    ADD,
    END
  }

  /** Bytes of the plan that all chunks share; 0 if sums need no memory but the target. */
  abstract long planBytes();

  /** Makes the plan at {@code job.shared}; returns the bytes that each chunk needs. */
  abstract long plan(Job job);

  /** Address of the memory of chunk {@code index}; that of all is at {@code job.phase}. */
  abstract long area(Job job, int index);

  /** Reads the block that is the tile; returns true if a pass over its points must do so. */
  boolean begins(Job job, Tile tile, long area, ThreadContext context) {
    return false;
  }

  /** Rounds the sums of the block that is the tile; true if a pass over its points must do so. */
  boolean ends(Job job, Tile tile, long area, ThreadContext context) {
    return false;
  }

  /**
   * Does a pass for the points of a tile.
   *
   * @param values dense, while they are added
   */
  abstract void visit(Job job, Tile tile, long values, Pass pass, long area, ThreadContext context);
}
