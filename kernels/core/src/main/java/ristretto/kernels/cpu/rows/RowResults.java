package ristretto.kernels.cpu.rows;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.operands.MemoryRef;
import ristretto.kernels.cpu.operands.StridedCursor;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.Tile;

/**
 * Destinations of the results of a row kernel's reductions: the target of a store that stores the
 * result unchanged, the launch's shared memory, or only the thread's scratch, for later stages.
 */
final class RowResults {
  private final RowOperands operands;
  private final Fold[] folds;
  private final RowScratch areas;

  /** Target of the store of each reduction's result, or null. */
  final MemoryRef[] direct;

  /**
   * Offset of each reduction's results in the launch's shared memory, or -1 if no one reads them
   * there.
   */
  final long[] shared;

  RowResults(RowOperands operands, Fold[] folds, RowScratch areas) {
    this.operands = operands;
    this.folds = folds;
    this.areas = areas;
    direct = new MemoryRef[folds.length];
    shared = new long[folds.length];
    java.util.Arrays.fill(shared, -1);
  }

  /** Returns true if every result has a single destination. */
  boolean single() {
    for (int k = 0; k < folds.length; k++) {
      if (direct[k] != null && shared[k] >= 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns true if the results of reduction {@code k} stay in scratch, at one address for all
   * tiles.
   */
  boolean local(int k) {
    return direct[k] == null && shared[k] < 0;
  }

  /** Returns the single destination of the result of the first row of {@code tile}. */
  long address(Job job, Tile tile, int k) {
    if (shared[k] >= 0) {
      return shared(job, tile, k, 0);
    }
    return direct[k] != null ? direct[k].address(job, tile.at) : tile.scratch + areas.results(k);
  }

  /** Returns the bytes between the destinations of the results of consecutive rows. */
  long stride(int k) {
    int size = folds[k].resultType().bytes();
    if (shared[k] >= 0) {
      return operands.rowNumber.strides[operands.keptInner()] * size;
    }
    return direct[k] != null ? direct[k].map.strides[operands.keptInner()] * size : size;
  }

  /** Copies the results of the current tile from scratch to their destinations. */
  void spread(Job job, Tile tile, int k) {
    int size = folds[k].resultType().bytes();
    MemoryRef target = direct[k];
    long at = target == null ? 0 : target.address(job, tile.at);
    long step = target == null ? 0 : target.map.strides[operands.keptInner()] * size;
    for (int row = 0; row < tile.width; row++) {
      long local = tile.scratch + areas.results(k) + (long) row * size;
      if (target != null) {
        copy(size, local, at + row * step);
      }
      if (shared[k] >= 0) {
        copy(size, local, shared(job, tile, k, row));
      }
    }
  }

  /**
   * Copies the results of the current tile from shared memory, where other threads wrote them, to
   * scratch.
   */
  void fetch(Job job, Tile tile, int k) {
    int size = folds[k].resultType().bytes();
    for (int row = 0; row < tile.width; row++) {
      copy(size, shared(job, tile, k, row), tile.scratch + areas.results(k) + (long) row * size);
    }
  }

  private static void copy(int size, long from, long to) {
    if (size == 4) {
      RawMemory.putInt(to, RawMemory.getInt(from));
    } else {
      RawMemory.putLong(to, RawMemory.getLong(from));
    }
  }

  private long shared(Job job, Tile tile, int k, int row) {
    StridedCursor number = operands.rowNumber;
    long element = number.at(tile.at) + row * number.strides[operands.keptInner()];
    return job.shared + shared[k] + element * folds[k].resultType().bytes();
  }
}
