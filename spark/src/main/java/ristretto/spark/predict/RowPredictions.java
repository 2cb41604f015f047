package ristretto.spark.predict;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowJoiner;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import scala.jdk.javaapi.CollectionConverters;

/** Rows of a task, each with its predictions. */
public final class RowPredictions implements Iterator<InternalRow> {
  private final Iterator<InternalRow> source;
  private final RowComputer computer;
  private final boolean all;
  private final UnsafeProjection toUnsafe;
  private final UnsafeProjection predictionsToUnsafe;
  private final UnsafeRowJoiner joiner;
  private final GenericInternalRow predictions;
  private final UnsafeRow[] batch;
  private int rows;
  private int next;

  /**
   * Creates the rows.
   *
   * @param rows columns of the source
   * @param kept numbers of the columns that the result has
   * @param added columns of the predictions
   */
  public RowPredictions(
      Iterator<InternalRow> source,
      RowComputer computer,
      StructType rows,
      int[] kept,
      StructType added) {
    this.source = source;
    this.computer = computer;
    this.all = kept.length == rows.size();
    List<Expression> columns = new ArrayList<>();
    var keptRows = new StructType();
    for (int k : kept) {
      StructField f = rows.fields()[k];
      columns.add(new BoundReference(k, f.dataType(), f.nullable()));
      keptRows = keptRows.add(f);
    }
    this.toUnsafe = UnsafeProjection.create(CollectionConverters.asScala(columns).toList());
    this.predictionsToUnsafe = UnsafeProjection.create(added);
    this.joiner = GenerateUnsafeRowJoiner.create(keptRows, added);
    this.predictions = new GenericInternalRow(added.size());
    this.batch = new UnsafeRow[computer.most()];
  }

  @Override
  public boolean hasNext() {
    return next < rows || source.hasNext();
  }

  @Override
  public InternalRow next() {
    if (next == rows) {
      if (!source.hasNext()) {
        throw new NoSuchElementException();
      }
      compute();
    }
    int row = next++;
    for (int k = 0; k < predictions.numFields(); k++) {
      predictions.update(k, computer.isBad(row) ? null : computer.value(k, row));
    }
    return joiner.join(batch[row], predictionsToUnsafe.apply(predictions));
  }

  private void compute() {
    computer.begin();
    rows = 0;
    next = 0;
    while (rows < batch.length && source.hasNext()) {
      InternalRow row = source.next();
      computer.add(row);
      // The source reuses its row.
      batch[rows++] =
          all && row instanceof UnsafeRow unsafe ? unsafe.copy() : toUnsafe.apply(row).copy();
    }
    computer.compute();
  }
}
