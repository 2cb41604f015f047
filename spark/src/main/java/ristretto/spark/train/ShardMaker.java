package ristretto.spark.train;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;
import ristretto.kernels.ShapeException;
import ristretto.spark.model.RowInput;
import ristretto.spark.rows.BadRowException;
import ristretto.spark.rows.InputRows;

/**
 * Makes shards of the rows of partitions.
 *
 * @param inputs inputs of the model, made in each process
 * @param rows columns of the rows
 * @param columns numbers of the columns of each input
 * @param key number of the column that names rows in errors, or -1
 * @param skipsBad true to leave out rows that are no input
 */
public record ShardMaker(
    Inputs inputs, StructType rows, List<int[]> columns, int key, boolean skipsBad)
    implements Serializable {
  /** Number of rows that are converted at a time. */
  private static final int BATCH = 1024;

  /** Makes the inputs of the model. */
  public interface Inputs extends Supplier<List<RowInput>>, Serializable {}

  /** Returns the conversions of the inputs. */
  public List<InputRows> conversions() {
    List<RowInput> all = inputs.get();
    List<InputRows> made = new ArrayList<>();
    for (int k = 0; k < all.size(); k++) {
      made.addAll(InputRows.of(List.of(all.get(k)), rows, columns.get(k), BATCH));
    }
    return made;
  }

  /** Makes a shard. */
  public Shard make(int number, Iterator<InternalRow> partition) {
    List<InputRows> conversions = conversions();
    List<ByteArrayOutputStream> elements = new ArrayList<>();
    conversions.forEach(_ -> elements.add(new ByteArrayOutputStream()));
    int made = 0;
    int open = 0;
    long bad = 0;
    while (partition.hasNext()) {
      if (copy(partition.next(), conversions, open)) {
        open++;
      } else {
        bad++;
      }
      if (open == BATCH) {
        write(conversions, elements, open);
        made += open;
        open = 0;
      }
    }
    write(conversions, elements, open);
    made += open;
    return new Shard(
        number, made, bad, elements.stream().map(ByteArrayOutputStream::toByteArray).toList());
  }

  private static void write(
      List<InputRows> conversions, List<ByteArrayOutputStream> elements, int rows) {
    for (int k = 0; k < conversions.size(); k++) {
      elements.get(k).writeBytes(conversions.get(k).bytes(rows));
    }
  }

  private boolean copy(InternalRow row, List<InputRows> conversions, int to) {
    try {
      conversions.forEach(c -> c.copy(row, to));
      return true;
    } catch (BadRowException e) {
      if (skipsBad) {
        return false;
      }
      throw new ShapeException(
          "[train] %s; in row %s; mend the data, or choose badRows(BadRows.NULL), which leaves such rows out."
              .formatted(e.getMessage(), name(row)));
    }
  }

  private String name(InternalRow row) {
    if (key < 0) {
      return "of no key";
    }
    var column = rows.fields()[key];
    return column.name() + "=" + row.get(key, column.dataType());
  }
}
