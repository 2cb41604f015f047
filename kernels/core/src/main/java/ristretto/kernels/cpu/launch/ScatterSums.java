package ristretto.kernels.cpu.launch;

import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;

/** Additions of a {@link ScatterLaunch} and the memory in which they accumulate. */
abstract sealed class ScatterSums permits ScatterInPlace, ScatterLines, ScatterElements {
  /** Passes over the points of a block. */
  enum Pass {
    BEGIN,
    ADD,
    END
  }

  /** Bytes of the plan that all chunks share; 0 if sums accumulate in the target. */
  abstract long planBytes();

  /** Writes the plan at {@code job.shared}; returns the bytes that each chunk needs. */
  abstract long plan(Job job);

  /**
   * Returns the address of the memory of chunk {@code index}; {@code job.phase} is the address for
   * all chunks.
   */
  abstract long area(Job job, int index);

  /**
   * Reads the block of the target at {@code tile}; returns true if a {@link Pass#BEGIN} pass must
   * do so instead.
   */
  boolean begins(Job job, Tile tile, long area, ThreadContext context) {
    return false;
  }

  /**
   * Rounds the sums of the block at {@code tile} to the target; returns true if an {@link Pass#END}
   * pass must do so instead.
   */
  boolean ends(Job job, Tile tile, long area, ThreadContext context) {
    return false;
  }

  /**
   * Makes a pass over the points of a tile.
   *
   * @param values address of the dense values, in an {@link Pass#ADD} pass
   */
  abstract void visit(Job job, Tile tile, long values, Pass pass, long area, ThreadContext context);
}
