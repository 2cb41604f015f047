package ristretto.spark.predict;

import java.util.List;
import java.util.function.LongConsumer;
import org.apache.spark.sql.types.StructType;
import ristretto.spark.model.OutputColumn;
import ristretto.spark.model.RowModel;
import ristretto.spark.rows.InputRows;
import ristretto.spark.rows.OutputRows;
import ristretto.spark.slot.Slot;

/** Model of tensors, whose first axis is that of the rows. */
public record TensorModel(RowModel model) implements OpenedModel {
  @Override
  public List<OutputColumn> outputs() {
    return model.outputs().stream()
        .map(output -> new OutputColumn(output.name(), OutputRows.type(output)))
        .toList();
  }

  @Override
  public int batch(int wanted) {
    return (int)
        model.inputs().stream()
            .mapToLong(input -> input.dims().rank() == 0 ? 1 : input.dims().at(0))
            .filter(rows -> rows > 0)
            .findFirst()
            .orElse(wanted);
  }

  @Override
  public void require(StructType frame, int[] columns) {
    InputRows.of(model.inputs(), frame, columns, 1);
  }

  @Override
  public RowComputer computer(Slot slot, RowSettings settings, LongConsumer badRows) {
    return new BatchComputer(model, slot, settings, badRows);
  }
}
