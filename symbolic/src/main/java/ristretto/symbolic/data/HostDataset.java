package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Data set in host memory, stored field by field. */
final class HostDataset extends PrintedDataset {
  /**
   * Values of one field for all examples.
   *
   * @param scaled true if the data is bytes for an F32 field, to be divided by 255
   */
  record Column(Field field, MemorySegment data, boolean scaled) {
    long rows() {
      long bytes = scaled ? field.shape().size() : field.bytes();
      return data.byteSize() / Math.max(1, bytes);
    }
  }

  private final List<Column> columns;
  private final long size;

  /**
   * Creates a data set of columns with equal numbers of rows.
   *
   * @param where source of the data, for messages
   */
  HostDataset(String where, List<Column> columns) {
    if (columns.isEmpty()) {
      throw new ShapeException("[dataset] there must be a field; got none in " + where + ".");
    }
    this.columns = List.copyOf(columns);
    this.size = columns.get(0).rows();
    for (Column c : columns) {
      if (c.rows() != size) {
        throw new ShapeException(
            String.format(
                Locale.ROOT,
                "[dataset] all fields must have the same number of examples; got %d for %s and %d"
                    + " for %s in %s.",
                size,
                columns.get(0).field,
                c.rows(),
                c.field,
                where));
      }
    }
  }

  static HostDataset of(Map<String, ? extends Tensor<?>> tensors) {
    var columns = new ArrayList<Column>();
    for (String name : names(tensors)) {
      Tensor<?> t = tensors.get(name);
      columns.add(column(name, t.dtype(), t.shape(), MemorySegment.ofArray(t.toByteArray())));
    }
    return new HostDataset("tensors", columns);
  }

  /**
   * Returns the names of fields in the order of a map; sorted for {@code Map.of}, whose order
   * differs from one JVM to the next.
   */
  static List<String> names(Map<String, ?> map) {
    boolean ordered = map.getClass() != Map.of(1, 1, 2, 2).getClass();
    return ordered ? List.copyOf(map.keySet()) : map.keySet().stream().sorted().toList();
  }

  /** Returns a column whose examples are the rows of an array of rank 1 or more. */
  static Column column(String name, DType<?> dtype, Shape shape, MemorySegment data) {
    if (shape.rank() == 0) {
      throw new ShapeException(
          "[dataset] arrays must have an axis of examples; got %s %s%s."
              .formatted(name, dtype, shape));
    }
    long[] row = new long[shape.rank() - 1];
    for (int d = 0; d < row.length; d++) {
      row[d] = shape.dim(d + 1);
    }
    return new Column(new Field(name, dtype, Shape.of(row)), data, false);
  }

  @Override
  public List<Field> fields() {
    return columns.stream().map(Column::field).toList();
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void read(int field, long example, MemorySegment to) {
    Column c = columns.get(field);
    if (!c.scaled) {
      long bytes = c.field.bytes();
      MemorySegment.copy(c.data, example * bytes, to, 0, bytes);
      return;
    }
    long n = c.field.shape().size();
    for (long k = 0; k < n; k++) {
      int b = c.data.get(ValueLayout.JAVA_BYTE, example * n + k) & 0xff;
      to.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, k, b / 255f);
    }
  }
}
