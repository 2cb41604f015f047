package ristretto.kernels.cpu;

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
      CpuDevice device, String name, RowStage[] stages, long bytes, ScratchLayout scratch) {
    int last = stages.length - 1;
    return new RowSweep(
        stages,
        last == 0 ? null : RowPair.of(device, name, stages[last], stages[0], bytes, scratch));
  }

  /**
   * Runs all stages over {@code rows} rows from those of {@code tile} on, one group at a time.
   *
   * @param length elements of a row
   */
  void run(Job job, Tile tile, ThreadContext context, RowResults results, long rows, int length) {
    int width = tile.width;
    tile.cols = length;
    Arguments[] arguments = context.arguments(stages.length + 1);
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
  private void paired(Tile tile, Arguments[] arguments, long rows, int length) {
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

  /** Arguments of the strip of one stage. */
  static final class Arguments {
    long[] pointers = new long[16];
    long[] strides = new long[16];

    /** Bytes from one group to the next, by pointer. */
    long[] steps = new long[16];

    int count;

    void reserve(int most) {
      if (pointers.length < most) {
        pointers = new long[2 * most];
        strides = new long[2 * most];
        steps = new long[2 * most];
      }
    }

    /**
     * Appends arguments {@code from} to {@code to - 1} of {@code other}, advanced by one group if
     * {@code next}.
     */
    void append(Arguments other, int from, int to, boolean next) {
      for (int k = from; k < to; k++) {
        pointers[count] = other.pointers[k] + (next ? other.steps[k] : 0);
        strides[count] = other.strides[k];
        steps[count] = other.steps[k];
        count++;
      }
    }

    void take(ThreadContext context, int count) {
      reserve(count);
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
