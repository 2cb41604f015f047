package ristretto.kernels.cpu.rows;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;
import ristretto.kernels.cpu.strip.AccumulatorFolds;
import ristretto.kernels.cpu.strip.LaneFold;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;

/** Accumulators of one stage: initialization, addresses for the strip, and folding. */
final class RowAccumulators {
  /** Least length of a row whose extremes use twice as many lanes. */
  private static final long LONG_ROW = 2048;

  private final RowStages stages;
  private final RowShape shape;
  private final RowScratch areas;
  private final Fold[] folds;
  private final int[] reductions;
  private final int lanes;

  /** True if the strip initializes and folds the accumulators itself. */
  final boolean foldsItself;

  /** True for COLUMNS of one block each, whose accumulators become results without states. */
  final boolean atOnce;

  RowAccumulators(
      RowStages stages,
      RowShape shape,
      RowScratch areas,
      Fold[] folds,
      int[] reductions,
      int lanes,
      boolean foldsItself,
      boolean oneBlock) {
    this.stages = stages;
    this.shape = shape;
    this.areas = areas;
    this.folds = folds;
    this.reductions = reductions;
    this.lanes = lanes;
    this.foldsItself = foldsItself;
    atOnce = oneBlock && atOnce();
  }

  /** Returns the accumulators, among {@code outputs} of the tape, that the strip folds itself. */
  static AccumulatorFolds folding(
      RowStages stages, RowShape shape, Fold[] folds, int[] reductions, List<Integer> outputs) {
    var list = new ArrayList<LaneFold>();
    for (int k : reductions) {
      if (shape.columns() || !folds[k].foldsInStrips()) {
        return AccumulatorFolds.NONE;
      }
      int output = outputs.indexOf(stages.accumulatorSlot(k));
      boolean wide = shape.form() != RowShape.Form.ROWS || folds[k].resultType().bytes() == 8;
      list.add(new LaneFold(output, folds[k].reduction.kind(), folds[k].type, wide));
    }
    boolean isLong = shape.form() != RowShape.Form.ROWS || shape.cols() >= LONG_ROW;
    boolean extremes =
        list.stream()
            .allMatch(f -> f.kind() == Reduction.Kind.MAX || f.kind() == Reduction.Kind.MIN);
    return new AccumulatorFolds(
        list, shape.form() == RowShape.Form.JOINED, isLong && extremes && !list.isEmpty());
  }

  private boolean atOnce() {
    boolean possible = shape.columns();
    for (int k : reductions) {
      possible &= folds[k].foldsInStrips();
    }
    return possible;
  }

  /** Returns true if folding leaves results at {@link RowScratch#results} rather than states. */
  boolean leaveResults() {
    return atOnce || foldsItself && shape.form() == RowShape.Form.ROWS;
  }

  private long values(Tile tile, int k) {
    boolean results = atOnce && folds[k].inPlace();
    return tile.scratch + (results ? areas.results(k) : areas.values(k));
  }

  void begin(long states, int width) {
    for (int row = 0; row < width; row++) {
      for (int k : reductions) {
        folds[k].begin(state(states, row, k));
      }
    }
  }

  long state(long states, int row, int k) {
    return states + ((long) row * folds.length + k) * Fold.STATE_BYTES;
  }

  /** Sets the accumulators of {@code rows} rows (COLUMNS: columns) to their initial values. */
  void clear(Tile tile, int rows) {
    if (foldsItself) {
      return;
    }
    for (int k : reductions) {
      int size = folds[k].type.bytes();
      long count = shape.columns() ? rows : (long) rows * lanes;
      fill(values(tile, k), count * size, size, folds[k].identity());
      if (folds[k] instanceof Fold.Position) {
        int width = stages.positionType().bytes();
        fill(tile.scratch + areas.positions(k), count * width, width, Fold.NO_POSITION);
      }
    }
  }

  /**
   * Fills an area, 8 bytes at a time. Areas are multiples of 64 bytes, so that filling may exceed
   * {@code bytes}.
   */
  private static void fill(long to, long bytes, int size, long bits) {
    long pattern = size == 8 ? bits : (bits & 0xFFFFFFFFL) * 0x1_0000_0001L;
    for (long p = to; p < to + bytes; p += 8) {
      RawMemory.putLong(p, pattern);
    }
  }

  /** Folds the lanes of accumulator row {@code row} into the states at {@code first}. */
  void fold(Tile tile, int row, long first) {
    for (int k : reductions) {
      if (foldsItself) {
        long block = tile.scratch + areas.blocks(k) + (long) row * Fold.STATE_BYTES;
        folds[k].merge(block, first + (long) k * Fold.STATE_BYTES);
        continue;
      }
      int size = folds[k].type.bytes();
      long values = tile.scratch + areas.values(k) + (long) row * lanes * size;
      long positions =
          tile.scratch + areas.positions(k) + (long) row * lanes * stages.positionType().bytes();
      folds[k].lanes(values, positions, lanes, first + (long) k * Fold.STATE_BYTES);
    }
  }

  void foldColumns(Tile tile, int width, long states) {
    if (atOnce) {
      for (int k : reductions) {
        folds[k].results(values(tile, k), width, tile.scratch + areas.results(k));
      }
      return;
    }
    for (int k : reductions) {
      int size = folds[k].type.bytes();
      int step = stages.positionType().bytes();
      long values = tile.scratch + areas.values(k);
      long positions = tile.scratch + areas.positions(k);
      for (int col = 0; col < width; col++) {
        folds[k].lanes(
            values + (long) col * size, positions + (long) col * step, 1, state(states, col, k));
      }
    }
  }

  /**
   * Sets the accumulator arguments of the strip; returns the next output pointer.
   *
   * @param out first output pointer
   */
  int point(Tile tile, ThreadContext context, int out) {
    int next = out;
    for (int k : reductions) {
      int slot = stages.accumulatorSlot(k);
      next = point(tile, context, k, slot, next, values(tile, k), folds[k].type);
      if (folds[k] instanceof Fold.Position) {
        long at = tile.scratch + areas.positions(k);
        next = point(tile, context, k, slot + 1, next, at, stages.positionType());
      }
    }
    return next;
  }

  private int point(
      Tile tile, ThreadContext context, int k, int slot, int out, long address, ScalarType type) {
    if (foldsItself) {
      boolean rows = leaveResults();
      context.pointers[slot] = address;
      context.rowStrides[slot] = 0;
      context.pointers[out] = tile.scratch + (rows ? areas.results(k) : areas.blocks(k));
      context.rowStrides[out] = rows ? folds[k].resultType().bytes() : Fold.STATE_BYTES;
      return out + 1;
    }
    boolean moves = shape.form() == RowShape.Form.ROWS || shape.form() == RowShape.Form.BLOCKS;
    long stride = moves ? (long) lanes * type.bytes() : 0;
    context.pointers[slot] = address;
    context.rowStrides[slot] = stride;
    context.pointers[out] = address;
    context.rowStrides[out] = stride;
    return out + 1;
  }
}
