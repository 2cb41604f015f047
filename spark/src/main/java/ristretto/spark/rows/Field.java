package ristretto.spark.rows;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.UserDefinedType;

/** Column with numbers, which are elements of an input. */
sealed interface Field {
  String name();

  /** Number of the column in the frame. */
  int ordinal();

  /** Number of elements, or -1 if each row has its own. */
  int width();

  boolean isWhole();

  /**
   * Copies the elements of a row that is not null here, unless there are too many.
   *
   * @param room maximum number of elements
   * @return the number of elements
   */
  int copy(InternalRow row, Elements to, long at, int room);

  /** Returns a column, or null if it has no numbers. */
  static Field of(StructField column, int ordinal) {
    DataType type = column.dataType();
    NumberType number = NumberType.of(type);
    if (number != null) {
      return new Scalar(column.name(), ordinal, number);
    }
    if (type instanceof ArrayType array && NumberType.of(array.elementType()) != null) {
      return new Array(column.name(), ordinal, NumberType.of(array.elementType()));
    }
    return type instanceof UserDefinedType<?> && type.typeName().equals("vector")
        ? new Vector(column.name(), ordinal)
        : null;
  }

  /** Column of numbers. */
  record Scalar(String name, int ordinal, NumberType type) implements Field {
    @Override
    public int width() {
      return 1;
    }

    @Override
    public boolean isWhole() {
      return type.isWhole();
    }

    @Override
    public int copy(InternalRow row, Elements to, long at, int room) {
      to.put(at, type, row, ordinal);
      return 1;
    }
  }

  /** Column of arrays of numbers. */
  record Array(String name, int ordinal, NumberType type) implements Field {
    @Override
    public int width() {
      return -1;
    }

    @Override
    public boolean isWhole() {
      return type.isWhole();
    }

    @Override
    public int copy(InternalRow row, Elements to, long at, int room) {
      ArrayData array = row.getArray(ordinal);
      int n = array.numElements();
      if (n > room) {
        return n;
      }
      for (int k = 0; k < n; k++) {
        if (array.isNullAt(k)) {
          throw new BadRowException(
              "arrays must have no null elements; got one at %s of column '%s'"
                  .formatted(Integer.toString(k), name));
        }
        to.put(at + k, type, array, k);
      }
      return n;
    }
  }

  /** Column of vectors of Spark ML: structures of kind, size, indices and values. */
  record Vector(String name, int ordinal) implements Field {
    private static final int SPARSE = 0;

    @Override
    public int width() {
      return -1;
    }

    @Override
    public boolean isWhole() {
      return false;
    }

    @Override
    public int copy(InternalRow row, Elements to, long at, int room) {
      InternalRow vector = row.getStruct(ordinal, 4);
      boolean sparse = vector.getByte(0) == SPARSE;
      ArrayData values = vector.getArray(3);
      int n = sparse ? vector.getInt(1) : values.numElements();
      if (n > room) {
        return n;
      }
      if (sparse) {
        to.clear(at, n);
      }
      ArrayData indices = sparse ? vector.getArray(2) : null;
      for (int k = 0; k < values.numElements(); k++) {
        to.put(at + (sparse ? indices.getInt(k) : k), NumberType.DOUBLE, values, k);
      }
      return n;
    }
  }
}
