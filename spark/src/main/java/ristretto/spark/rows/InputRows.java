package ristretto.spark.rows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.ScalarType;
import ristretto.spark.model.RowInput;

/** Rows of an input of a model, made of columns of a frame. */
public final class InputRows {
  private final RowInput input;
  private final List<Field> fields;
  private final int width;
  private final Elements elements;
  private final Shape shape;

  /** Creates a batch of zeros. */
  private InputRows(RowInput input, List<Field> fields, int width, int batch) {
    this.input = input;
    this.fields = fields;
    this.width = width;
    this.elements = new Elements(input.dtype(), (long) batch * width);
    this.shape = shape(input, width, batch);
  }

  private static Shape shape(RowInput input, int width, int batch) {
    var extents = new long[input.dims().rank()];
    long known = 1;
    int open = -1;
    for (int k = 1; k < extents.length; k++) {
      extents[k] = input.dims().at(k);
      if (extents[k] < 0) {
        open = k;
      } else {
        known *= extents[k];
      }
    }
    if (open >= 0) {
      extents[open] = width / known;
    }
    extents[0] = batch;
    return Shape.of(extents);
  }

  /**
   * Makes the inputs of a model. All columns together are the rows of a single input; with several
   * inputs, each has the column of its name.
   *
   * @param columns numbers of the columns
   * @throws ShapeException if the columns do not fit the inputs
   */
  public static List<InputRows> of(
      List<RowInput> inputs, StructType frame, int[] columns, int batch) {
    List<Field> fields = Arrays.stream(columns).mapToObj(k -> field(frame.fields()[k], k)).toList();
    if (inputs.size() == 1) {
      return List.of(of(inputs.get(0), fields, batch));
    }
    List<String> names = inputs.stream().map(RowInput::name).sorted().toList();
    List<String> given = fields.stream().map(Field::name).toList();
    if (!given.stream().sorted().toList().equals(names)) {
      throw new ShapeException(
          "[predict] each input of a model with several must have the column of its name; got inputs %s and columns %s; rename the columns with withColumnRenamed."
              .formatted(names, given));
    }
    List<InputRows> all = new ArrayList<>();
    for (RowInput input : inputs) {
      all.add(of(input, List.of(fields.get(given.indexOf(input.name()))), batch));
    }
    return all;
  }

  private static Field field(StructField column, int ordinal) {
    Field field = Field.of(column, ordinal);
    if (field == null) {
      throw new ShapeException(
          "[predict] a column must have numbers, arrays of numbers or vectors; got '%s' of type %s; cast it, or leave it out."
              .formatted(column.name(), column.dataType().simpleString()));
    }
    return field;
  }

  private static InputRows of(RowInput input, List<Field> fields, int batch) {
    if (!Elements.hold(input.dtype())) {
      throw new ShapeException(
          "[predict] an input must be of another dtype than BF16; got '%s'; cast it in the model."
              .formatted(input.name()));
    }
    for (Field f : fields) {
      if (!input.dtype().isFloat() && !f.isWhole()) {
        throw new ShapeException(
            "[predict] an input of %s must be made of columns of whole numbers; got column '%s' for '%s'; cast it, for example with cast(\"long\")."
                .formatted(input.dtype(), f.name(), input.name()));
      }
    }
    return new InputRows(input, fields, width(input, fields), batch);
  }

  /** Returns the number of elements of a row. */
  private static int width(RowInput input, List<Field> fields) {
    long width = 1;
    int open = 0;
    for (int k = 1; k < input.dims().rank(); k++) {
      if (input.dims().at(k) < 0) {
        open++;
      } else {
        width *= input.dims().at(k);
      }
    }
    boolean scalars = fields.stream().allMatch(f -> f.width() == 1);
    int given = fields.size();
    if (scalars && open == 1 && width > 0 && given % width == 0) {
      return given;
    }
    if (open > 0) {
      throw new ShapeException(
          "[predict] the extents of an input, but for the first, must be known; got '%s' %s; make the model with known extents."
              .formatted(input.name(), input.dims()));
    }
    if (scalars && given != width) {
      throw new ShapeException(
          "[predict] the columns must be as many as a row of input '%s' %s has elements; got %s %s; name others."
              .formatted(
                  input.name(), input.dims(), given, fields.stream().map(Field::name).toList()));
    }
    return Math.toIntExact(width);
  }

  /**
   * Copies a row of the frame.
   *
   * @param to number of the row in the batch
   * @throws BadRowException if the row does not fit
   */
  public void copy(InternalRow row, int to) {
    long from = (long) to * width;
    int at = 0;
    for (int k = 0; k < fields.size(); k++) {
      Field f = fields.get(k);
      if (row.isNullAt(f.ordinal())) {
        throw new BadRowException("column '" + f.name() + "' must not be null");
      }
      at += f.copy(row, elements, from + at, width - at);
    }
    if (at != width) {
      throw new BadRowException(
          "the row must have %s numbers for input '%s'; got %s"
              .formatted(Integer.toString(width), input.name(), Integer.toString(at)));
    }
  }

  /** Returns true if the input is F32 and made of columns of floats. */
  private boolean isOfFloats() {
    return input.dtype().scalar() == ScalarType.F32
        && fields.stream()
            .allMatch(f -> f instanceof Field.Scalar s && s.type() == NumberType.FLOAT);
  }

  /**
   * Copies rows of a columnar batch, if the columns have only floats and no nulls.
   *
   * @return false if nothing was copied
   */
  public boolean copyColumns(ColumnarBatch rows, int from, int count) {
    if (!isOfFloats()) {
      return false;
    }
    for (Field f : fields) {
      if (rows.column(f.ordinal()).hasNull()) {
        return false;
      }
    }
    for (int k = 0; k < width; k++) {
      elements.putColumn(rows.column(fields.get(k).ordinal()), from, count, k, width);
    }
    return true;
  }

  /** Sets the rows from a number on to zero. */
  public void clear(int from, int to) {
    elements.clear((long) from * width, (long) (to - from) * width);
  }

  /** Returns a copy of the first rows. */
  public byte[] bytes(int rows) {
    MemorySegment all = elements.memory();
    return all.asSlice(0, all.byteSize() / shape.at(0) * rows).toArray(ValueLayout.JAVA_BYTE);
  }

  public MemorySegment values() {
    return elements.memory();
  }

  public Shape shape() {
    return shape;
  }
}
