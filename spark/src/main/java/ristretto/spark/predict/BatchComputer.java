package ristretto.spark.predict;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import ristretto.expr.Tensor;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.spark.model.RowModel;
import ristretto.spark.rows.BadRowException;
import ristretto.spark.rows.InputRows;
import ristretto.spark.rows.OutputRows;
import ristretto.spark.slot.Slot;

/**
 * Computes batches of the rows of a task. The last batch is filled up with zeros, so that one
 * program computes all batches.
 */
public final class BatchComputer {
  private final RowModel model;
  private final Slot slot;
  private final RowSettings settings;
  private final LongConsumer badRows;
  private final List<InputRows> inputs;
  private final List<OutputRows> outputs;
  private final List<MemorySegment> values;
  private final List<Shape> shapes;
  private final BitSet bad = new BitSet();
  private int rows;
  private long before;

  /**
   * Creates a computer.
   *
   * @param badRows receives the number of bad rows of a batch
   */
  public BatchComputer(RowModel model, Slot slot, RowSettings settings, LongConsumer badRows) {
    this.model = model;
    this.slot = slot;
    this.settings = settings;
    this.badRows = badRows;
    this.inputs =
        InputRows.of(model.inputs(), settings.rows(), settings.columns(), settings.batch());
    this.outputs = model.outputs().stream().map(OutputRows::new).toList();
    this.values = inputs.stream().map(InputRows::values).toList();
    this.shapes = inputs.stream().map(InputRows::shape).toList();
  }

  List<OutputRows> outputs() {
    return outputs;
  }

  /** Returns the number of rows of a full batch. */
  int most() {
    return settings.batch();
  }

  /** Returns true if a row of the computed batch is no input. */
  boolean isBad(int row) {
    return bad.get(row);
  }

  boolean isFull() {
    return rows == settings.batch();
  }

  /** Begins a batch. */
  void begin() {
    before += rows;
    rows = 0;
    bad.clear();
  }

  /** Adds a row to the batch. */
  void add(InternalRow row) {
    int to = rows++;
    for (InputRows input : inputs) {
      try {
        input.copy(row, to);
      } catch (BadRowException e) {
        if (!settings.nullForBad()) {
          throw new ShapeException(
              "[predict] %s; in row %s; mend the data, or choose badRows(BadRows.NULL)."
                  .formatted(e.getMessage(), name(row, to)));
        }
        input.clear(to, to + 1);
        bad.set(to);
      }
    }
  }

  /** Adds rows of a columnar batch to an empty batch. */
  void add(ColumnarBatch batch, int from, int count) {
    boolean copied = true;
    for (InputRows input : inputs) {
      copied &= input.copyColumns(batch, from, count);
    }
    if (copied) {
      rows = count;
      return;
    }
    for (int k = 0; k < count; k++) {
      add(batch.getRow(from + k));
    }
  }

  /** Computes the outputs of the batch. */
  void compute() {
    if (!isFull()) {
      inputs.forEach(input -> input.clear(rows, settings.batch()));
    }
    slot.run(_ -> {
      List<Tensor<?>> results = model.run(values, shapes);
      for (int k = 0; k < outputs.size(); k++) {
        outputs.get(k).copy(results.get(k), settings.batch());
      }
      return null;
    });
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
}
