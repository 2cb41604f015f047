package ristretto.spark;

import java.io.Serializable;
import java.util.List;
import ristretto.kernels.ShapeException;

/**
 * Options of predictions.
 *
 * @param outputs names of the outputs, each of which becomes a column of its name; empty for the
 *     first output, in the column {@code prediction}
 * @param batch number of rows that are computed at a time
 * @param badRows treatment of rows that are no input
 * @param key column that names rows in errors; empty for none
 */
public record PredictOptions(List<String> outputs, int batch, BadRows badRows, String key)
    implements Serializable {

  /** Checks the options. */
  public PredictOptions {
    if (batch < 1) {
      throw new ShapeException(
          "[predict] a batch must have at least 1 row; got %s; leave it at 1024 unless memory is short."
              .formatted(batch));
    }
    outputs = List.copyOf(outputs);
  }

  /** Returns the first output, batches of 1,024 rows, and errors for bad rows. */
  public static PredictOptions of() {
    return new PredictOptions(List.of(), 1024, BadRows.FAIL, "");
  }

  /** Names the outputs. */
  public PredictOptions outputs(String... names) {
    return new PredictOptions(List.of(names), batch, badRows, key);
  }

  /** Sets the number of rows that are computed at a time. */
  public PredictOptions batch(int rows) {
    return new PredictOptions(outputs, rows, badRows, key);
  }

  /** Sets the treatment of rows that are no input. */
  public PredictOptions badRows(BadRows treatment) {
    return new PredictOptions(outputs, batch, treatment, key);
  }

  /** Names the column whose value names a row in errors. */
  public PredictOptions key(String column) {
    return new PredictOptions(outputs, batch, badRows, column);
  }
}
