package ristretto.spark.predict;

import java.util.BitSet;
import java.util.function.LongConsumer;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import ristretto.kernels.ShapeException;
import ristretto.spark.rows.BadRowException;

/** Computes the rows of a task in batches. */
public abstract class RowComputer {
  final RowSettings settings;
  private final LongConsumer badRows;
  private final BitSet bad = new BitSet();
  private long before;

  /** Number of rows of the batch. */
  int rows;

  /**
   * Creates a computer.
   *
   * @param badRows receives the number of bad rows of a batch
   */
  RowComputer(RowSettings settings, LongConsumer badRows) {
    this.settings = settings;
    this.badRows = badRows;
  }

  /** Returns the number of rows of a full batch. */
  final int most() {
    return settings.batch();
  }

  /** Returns true if a row of the computed batch is no input. */
  final boolean isBad(int row) {
    return bad.get(row);
  }

  /** Begins a batch. */
  final void begin() {
    before += rows;
    rows = 0;
    bad.clear();
  }

  /** Adds a row to the batch. */
  final void add(InternalRow row) {
    int to = rows++;
    try {
      copy(row, to);
    } catch (BadRowException e) {
      if (!settings.nullForBad()) {
        throw new ShapeException(
            "[predict] %s; in row %s; mend the data, or choose badRows(BadRows.NULL)."
                .formatted(e.getMessage(), name(row, to)));
      }
      clear(to);
      bad.set(to);
    }
  }

  /** Adds rows of a columnar batch to an empty batch. */
  final void add(ColumnarBatch batch, int from, int count) {
    if (copy(batch, from, count)) {
      rows = count;
      return;
    }
    for (int k = 0; k < count; k++) {
      add(batch.getRow(from + k));
    }
  }

  /** Computes the outputs of the batch. */
  final void compute() {
    run();
    if (!bad.isEmpty()) {
      badRows.accept(bad.cardinality());
    }
  }

  /** Names a row by its key, or by its number in the partition. */
  private String name(InternalRow row, int to) {
    if (settings.key() < 0) {
      return "%s of partition %s".formatted(before + to, TaskContext.getPartitionId());
    }
    var column = settings.rows().fields()[settings.key()];
    return column.name() + "=" + row.get(settings.key(), column.dataType());
  }

  /** Copies a row into the batch. */
  abstract void copy(InternalRow row, int to);

  /** Makes a row of the batch one that can be computed. */
  abstract void clear(int row);

  /** Copies columns into the batch, or returns false if only rows can be copied. */
  abstract boolean copy(ColumnarBatch batch, int from, int count);

  /** Computes the outputs of the first {@link #rows} rows. */
  abstract void run();

  /** Returns the value of an output of a row. */
  abstract Object value(int output, int row);

  /** Appends the value of an output of a row to a column. */
  abstract void append(int output, int row, WritableColumnVector column);
}
