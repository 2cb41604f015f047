package ristretto.spark.predict;

import java.util.Iterator;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Columnar batches of a task with predictions as further columns. */
public final class ColumnPredictions implements Iterator<ColumnarBatch> {
  private final Iterator<ColumnarBatch> source;
  private final RowComputer computer;
  private final int[] kept;
  private final StructField[] added;
  private OnHeapColumnVector[] vectors = {};

  /**
   * Creates the batches.
   *
   * @param kept numbers of the columns that the result has
   * @param added columns of the predictions
   */
  public ColumnPredictions(
      Iterator<ColumnarBatch> source, RowComputer computer, int[] kept, StructType added) {
    this.source = source;
    this.computer = computer;
    this.kept = kept;
    this.added = added.fields();
  }

  @Override
  public boolean hasNext() {
    return source.hasNext();
  }

  @Override
  public ColumnarBatch next() {
    close();
    ColumnarBatch batch = source.next();
    int rows = batch.numRows();
    vectors = OnHeapColumnVector.allocateColumns(rows, added);
    for (int from = 0; from < rows; from += computer.most()) {
      int count = Math.min(computer.most(), rows - from);
      computer.begin();
      computer.add(batch, from, count);
      computer.compute();
      append(count);
    }
    var all = new ColumnVector[kept.length + vectors.length];
    for (int k = 0; k < kept.length; k++) {
      all[k] = batch.column(kept[k]);
    }
    System.arraycopy(vectors, 0, all, kept.length, vectors.length);
    return new ColumnarBatch(all, rows);
  }

  private void append(int count) {
    for (int k = 0; k < vectors.length; k++) {
      for (int row = 0; row < count; row++) {
        if (computer.isBad(row)) {
          vectors[k].appendNull();
        } else {
          computer.append(k, row, vectors[k]);
        }
      }
    }
  }

  /** Frees the predictions of the last batch. */
  public void close() {
    for (OnHeapColumnVector v : vectors) {
      v.close();
    }
    vectors = new OnHeapColumnVector[0];
  }
}
