package ristretto.spark.predict;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongConsumer;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import ristretto.expr.Tensor;
import ristretto.expr.type.Shape;
import ristretto.spark.model.RowModel;
import ristretto.spark.rows.InputRows;
import ristretto.spark.rows.OutputRows;
import ristretto.spark.slot.Slot;

/**
 * Computes rows with a model of tensors. The last batch is filled up with zeros, so that one
 * program computes all batches.
 */
final class BatchComputer extends RowComputer {
  private final RowModel model;
  private final Slot slot;
  private final List<InputRows> inputs;
  private final List<OutputRows> outputs;
  private final List<MemorySegment> values;
  private final List<Shape> shapes;

  BatchComputer(RowModel model, Slot slot, RowSettings settings, LongConsumer badRows) {
    super(settings, badRows);
    this.model = model;
    this.slot = slot;
    this.inputs = InputRows.of(model.inputs(), settings.rows(), settings.columns(), most());
    this.outputs = model.outputs().stream().map(OutputRows::new).toList();
    this.values = inputs.stream().map(InputRows::values).toList();
    this.shapes = inputs.stream().map(InputRows::shape).toList();
  }

  @Override
  void copy(InternalRow row, int to) {
    inputs.forEach(input -> input.copy(row, to));
  }

  @Override
  void clear(int row) {
    inputs.forEach(input -> input.clear(row, row + 1));
  }

  @Override
  boolean copy(ColumnarBatch batch, int from, int count) {
    boolean copied = true;
    for (InputRows input : inputs) {
      copied &= input.copyColumns(batch, from, count);
    }
    return copied;
  }

  @Override
  void run() {
    if (rows < most()) {
      inputs.forEach(input -> input.clear(rows, most()));
    }
    slot.run(_ -> {
      List<Tensor<?>> results = model.run(values, shapes);
      for (int k = 0; k < outputs.size(); k++) {
        outputs.get(k).copy(results.get(k), most());
      }
      return null;
    });
  }

  @Override
  Object value(int output, int row) {
    return outputs.get(output).value(row);
  }

  @Override
  void append(int output, int row, WritableColumnVector column) {
    outputs.get(output).append(row, column);
  }
}
