package ristretto.spark.predict;

import java.util.List;
import java.util.function.LongConsumer;
import org.apache.spark.sql.types.StructType;
import ristretto.spark.model.OutputColumn;
import ristretto.spark.slot.Slot;

/** Model on a device, for the rows of data frames. */
public interface OpenedModel {
  /** Columns that a prediction adds. */
  List<OutputColumn> outputs();

  /** Returns the number of rows that are computed at a time, which a model may prescribe. */
  int batch(int wanted);

  /**
   * Checks that columns are inputs of the model.
   *
   * @param columns numbers of the columns
   * @throws ristretto.kernels.ShapeException if they do not fit
   */
  void require(StructType frame, int[] columns);

  /**
   * Creates a computer for the rows of a task.
   *
   * @param badRows receives the number of bad rows of a batch
   */
  RowComputer computer(Slot slot, RowSettings settings, LongConsumer badRows);
}
