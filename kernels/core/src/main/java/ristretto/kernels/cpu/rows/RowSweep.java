package ristretto.kernels.cpu.rows;

import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.operands.ScratchLayout;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.StripArguments;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.Tile;

/**
 * Loop over many groups of rows with a single set-up of the strips' arguments. Where strips fold
 * their accumulators and access all memory without packing, the next group only adds to the
 * addresses.
 */
final class RowSweep {
  private final RowStage[] stages;

  /** Strip of two stages of adjacent groups; null if groups run strictly one after the other. */
  private final RowPair pair;

  private RowSweep(RowStage[] stages, RowPair pair) {
    this.stages = stages;
    this.pair = pair;
  }

  /** Returns true if groups of rows differ in addresses only. */
  static boolean possible(
      RowStage[] stages, RowShape shape, RowOperands operands, RowResults results) {
    boolean possible =
        shape.form() == RowShape.Form.ROWS
            && operands.direct(shape.rowDim(), shape.colDim(), false)
            && !operands.gathersAlong(operands.keptInner())
            && results.single();
    for (RowStage stage : stages) {
      possible &= stage.sweeps();
    }
    return possible;
  }

  /**
   * Creates a sweep over {@code stages}.
   *
   * @param bytes memory that the kernel touches
   */
  static RowSweep of(
      LaunchServices services, String name, RowStage[] stages, long bytes, ScratchLayout scratch) {
    int last = stages.length - 1;
    return new RowSweep(
        stages,
        last == 0 ? null : RowPair.of(services, name, stages[last], stages[0], bytes, scratch));
  }

  /**
   * Runs all stages over {@code rows} rows from those of {@code tile} on, one group at a time.
   *
   * @param length elements of a row
   */
  void run(Job job, Tile tile, ThreadContext context, RowResults results, long rows, int length) {
    int width = tile.width;
    tile.cols = length;
    StripArguments[] arguments = context.arguments(stages.length + 1);
    for (int s = 0; s < stages.length; s++) {
      stages[s].aim(job, tile, context, results, arguments[s]);
    }
    if (pair == null) {
      for (long done = 0; done < rows; done += width) {
        int count = (int) Math.min(width, rows - done);
        for (int s = 0; s < stages.length; s++) {
          stages[s].sweep(tile, arguments[s], count, length);
        }
      }
    } else {
      pair.aim(arguments[stages.length - 1], arguments[0], arguments[stages.length]);
      paired(tile, arguments, rows, length);
    }
  }

  /** Runs the first stage of a full group together with the last stage of the group before. */
  private void paired(Tile tile, StripArguments[] arguments, long rows, int length) {
    int width = tile.width;
    int last = stages.length - 1;
    boolean begun = false;
    for (long done = 0; done < rows; done += width) {
      int count = (int) Math.min(width, rows - done);
      if (!begun) {
        stages[0].call(tile, arguments[0], count, length);
      }
      for (int s = 1; s < last; s++) {
        stages[s].sweep(tile, arguments[s], count, length);
      }
      begun = rows - done >= 2L * width;
      if (begun) {
        pair.run(tile, arguments[stages.length], count, length);
      } else {
        stages[last].call(tile, arguments[last], count, length);
      }
      arguments[0].next();
      arguments[last].next();
      arguments[stages.length].next();
    }
  }
}
