package ristretto.spark.plan;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.util.LongAccumulator;
import ristretto.expr.Context;
import ristretto.spark.predict.ColumnPredictions;
import ristretto.spark.predict.OpenedModel;
import ristretto.spark.predict.RowComputer;
import ristretto.spark.predict.RowPredictions;
import ristretto.spark.predict.RowSettings;
import ristretto.spark.slot.Slot;
import ristretto.spark.slot.Slots;

/**
 * Prediction with a model, as tasks run it.
 *
 * @param model the model
 * @param outputs names of the outputs; empty for the first
 * @param badRows counts rows that are no input
 */
public record Prediction(
    Broadcast<? extends Sent> model,
    List<String> outputs,
    int batch,
    boolean nullForBad,
    LongAccumulator badRows)
    implements Serializable {

  /** Model that was sent to a process. */
  public interface Sent extends Serializable {
    /** Key of the model in the processes of the cluster. */
    String key();

    /**
     * Opens the model on a device.
     *
     * @param outputs names of the outputs; empty for the first
     */
    OpenedModel open(Context ctx, List<String> outputs);
  }

  private RowComputer computer(RowSettings settings) {
    Slot slot = Slots.ofTask();
    Sent sent = model.value();
    OpenedModel opened = slot.model(sent.key() + outputs, ctx -> sent.open(ctx, outputs));
    return opened.computer(slot, settings, badRows::add);
  }

  Iterator<InternalRow> ofRows(Iterator<InternalRow> rows, RowSettings settings, StructType added) {
    return new RowPredictions(rows, computer(settings), settings.rows(), settings.kept(), added);
  }

  Iterator<ColumnarBatch> ofColumns(
      Iterator<ColumnarBatch> batches, RowSettings settings, StructType added) {
    return new ColumnPredictions(batches, computer(settings), settings.kept(), added);
  }
}
