package ristretto.kernels.cpu.rows;

import ristretto.kernels.cpu.operands.ScratchLayout;

/**
 * Offsets of a row kernel's accumulators, results and kept values in a thread's scratch, which all
 * stages share.
 */
final class RowScratch {
  /** Most bytes of an accumulator: its lanes times their size. */
  private static final int LANE_BYTES = 256;

  private final long[] values;
  private final long[] positions;
  private final long[] results;
  private final long[] kept;
  private final long[] blocks;

  /** Offsets of the states of a kept tile: totals of whole rows, and of one chunk. */
  final long totals;

  final long chunk;

  RowScratch(Fold[] folds, RowStages stages, RowShape shape, long length, ScratchLayout scratch) {
    long rows =
        switch (shape.form()) {
          case ROWS -> shape.width();
          case BLOCKS -> RowShape.CHUNK_BLOCKS;
          case JOINED -> 1;
          case COLUMNS -> 0;
        };
    long bytes = shape.columns() ? 8 * shape.width() : rows * LANE_BYTES;
    values = new long[folds.length];
    positions = new long[folds.length];
    results = new long[folds.length];
    blocks = new long[folds.length];
    for (int k = 0; k < folds.length; k++) {
      values[k] = scratch.take(bytes);
      positions[k] = folds[k] instanceof Fold.Position ? scratch.take(bytes) : 0;
      results[k] = scratch.take(8 * shape.width());
      blocks[k] = scratch.take((long) RowShape.CHUNK_BLOCKS * Fold.STATE_BYTES);
    }
    kept = new long[stages.keptTypes.size()];
    for (int id = 0; id < kept.length; id++) {
      kept[id] = scratch.take(shape.width() * length * stages.keptTypes.get(id).bytes());
    }
    totals = scratch.take(shape.width() * folds.length * Fold.STATE_BYTES);
    chunk = scratch.take(shape.width() * folds.length * Fold.STATE_BYTES);
  }

  long values(int k) {
    return values[k];
  }

  long positions(int k) {
    return positions[k];
  }

  long results(int k) {
    return results[k];
  }

  /** States into which strips fold the blocks of a tile. */
  long blocks(int k) {
    return blocks[k];
  }

  long kept(int id) {
    return kept[id];
  }
}
