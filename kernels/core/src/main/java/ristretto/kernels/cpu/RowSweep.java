package ristretto.kernels.cpu;

/**
 * Many groups of rows with one set-up of the strips' arguments: where strips fold and reach all
 * memory themselves, going on to the next group is adding to addresses.
 */
final class RowSweep {
  private final RowStage[] stages;

  private RowSweep(RowStage[] stages) {
    this.stages = stages;
  }

  /** Null if the stages need more than that. */
  static RowSweep of(
      RowStage[] stages, RowShape shape, RowOperands operands, RowResults results) {
    boolean possible =
        shape.form() == RowShape.Form.ROWS
            && operands.direct(shape.rowDim(), shape.colDim(), false)
            && !operands.gathersAlong(operands.keptInner())
            && results.single();
    for (RowStage stage : stages) {
      possible &= stage.sweeps();
    }
    return possible ? new RowSweep(stages) : null;
  }

  /**
   * Runs all stages over {@code rows} rows from those of {@code tile} on, a group at a time.
   *
   * @param length elements of a row
   */
  void run(Job job, Tile tile, ThreadContext context, RowResults results, long rows, int length) {
    int width = tile.width;
    tile.cols = length;
    Arguments[] arguments = context.arguments(stages.length);
    for (int s = 0; s < stages.length; s++) {
      stages[s].aim(job, tile, context, results, arguments[s]);
    }
    for (long done = 0; done < rows; done += width) {
      int count = (int) Math.min(width, rows - done);
      for (int s = 0; s < stages.length; s++) {
        stages[s].sweep(tile, arguments[s], count, length);
      }
    }
  }

  /** Of one stage. */
  static final class Arguments {
    long[] pointers = new long[16];
    long[] strides = new long[16];

    /** Bytes from a group to the next. */
    long[] steps = new long[16];

    int count;

    void take(ThreadContext context, int count) {
      if (pointers.length < count) {
        pointers = new long[2 * count];
        strides = new long[2 * count];
        steps = new long[2 * count];
      }
      this.count = count;
      System.arraycopy(context.pointers, 0, pointers, 0, count);
      System.arraycopy(context.rowStrides, 0, strides, 0, count);
      java.util.Arrays.fill(steps, 0, count, 0);
    }

    void next() {
      for (int k = 0; k < count; k++) {
        pointers[k] += steps[k];
      }
    }
  }
}
