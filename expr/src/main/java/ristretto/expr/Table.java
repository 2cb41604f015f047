package ristretto.expr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.file.Excerpt;
import ristretto.expr.print.ElementReader;
import ristretto.expr.table.TableColumn;
import ristretto.expr.table.TableText;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Columns with names, in host memory, read by {@link Context#readCsv}. A column becomes a tensor
 * when it is asked for:
 *
 * <pre>{@code
 * Table t = ctx.readCsv(Path.of("weather.csv"));
 * t.print();
 * Tensor<F64> temperature = t.column("temperature", F64);
 * Tensor<F32> x = t.matrix(F32, "temperature", "wind");     // [rows, 2]
 * }</pre>
 *
 * <p>The types of columns are found in their values: I64 for whole numbers, F64 for other numbers,
 * BOOL for true and false, I64 for dates (days since 1970-01-01) and for dates with a time
 * (milliseconds since then, UTC), and text. Missing values are NaN, which makes F64 of a column of
 * numbers, booleans or dates; in a column of texts they are texts.
 */
public final class Table {
  private static final int HEAD = 5;

  private final Context context;
  private final Map<String, TableColumn> columns = new LinkedHashMap<>();
  private final long rows;

  Table(Context context, List<TableColumn> columns, long rows) {
    this.context = context;
    columns.forEach(c -> this.columns.put(c.name(), c));
    this.rows = rows;
  }

  static Table of(Context context, List<TableColumn> columns) {
    return new Table(context, columns, columns.isEmpty() ? 0 : columns.get(0).rows());
  }

  /** Creates a table from tensors of one axis. */
  static Table of(Context context, Map<String, ? extends Tensor<?>> tensors) {
    var columns = new ArrayList<TableColumn>();
    long rows = -1;
    for (Map.Entry<String, ? extends Tensor<?>> named : tensors.entrySet()) {
      Tensor<?> t = named.getValue();
      if (t.shape().rank() != 1 || rows >= 0 && t.shape().size() != rows) {
        throw new ShapeException(
            "[table] columns must be vectors of one length; got %s for '%s'%s."
                .formatted(
                    t.label(),
                    Excerpt.of(named.getKey()),
                    rows < 0 ? "" : " after columns of %s rows".formatted(rows)));
      }
      rows = t.shape().size();
      columns.add(column(named.getKey(), t));
    }
    return new Table(context, columns, Math.max(0, rows));
  }

  private static TableColumn column(String name, Tensor<?> t) {
    long rows = t.shape().size();
    ElementReader reader = HostTransfer.copied(t);
    if (t.dtype().isFloat()) {
      // The shortest text of a float is that of another double.
      boolean single = t.dtype() != (Object) F64.INSTANCE;
      return TableColumn.ofNumbers(
          name,
          rows,
          k -> {
            double v = reader.floating(k);
            return single && Double.isFinite(v) ? Double.parseDouble(Float.toString((float) v)) : v;
          });
    }
    return TableColumn.ofWhole(
        name, t.dtype() == (Object) BOOL.INSTANCE, rows, k -> reader.integer(k));
  }

  List<TableColumn> columns() {
    return List.copyOf(columns.values());
  }

  /** Returns the names of the columns, in order. */
  public List<String> names() {
    return List.copyOf(columns.keySet());
  }

  /** Returns the number of rows. */
  public long rows() {
    return rows;
  }

  /** Returns true for a column of texts, which {@link #texts} and {@link #codes} read. */
  public boolean isText(String name) {
    return get(name).isText();
  }

  /**
   * Returns the dtype that holds the values of a column: I64, F64 or BOOL.
   *
   * @throws ShapeException if there is no such column, or the column is text
   */
  public DType<?> dtype(String name) {
    return dtype(numeric(name));
  }

  private static DType<?> dtype(TableColumn c) {
    return switch (c.kind()) {
      case WHOLE, DATE, TIME -> c.isFloating() ? F64.INSTANCE : I64.INSTANCE;
      case BOOLEAN -> c.isFloating() ? F64.INSTANCE : BOOL.INSTANCE;
      case NUMBER, BLANK -> F64.INSTANCE;
      case TEXT -> throw new AssertionError(c.name());
    };
  }

  /**
   * Copies a column to a tensor [rows]. Floating-point dtypes round; other dtypes must hold all
   * values, so a column with missing values or fractions must be read as floating point.
   *
   * @throws ShapeException if there is no such column, the column is text, or the dtype does not
   *     hold a value
   */
  public <T> Tensor<T> column(String name, DType<T> dtype) {
    return tensor(dtype, List.of(numeric(name)), Shape.of(rows));
  }

  /**
   * Copies columns to a matrix [rows, columns]; without names, all columns that are not text. Rules
   * for dtypes are those of {@link #column}.
   *
   * @throws ShapeException if there is no such column, a column is text, or the dtype does not hold
   *     a value
   */
  public <T> Tensor<T> matrix(DType<T> dtype, String... names) {
    List<TableColumn> chosen =
        names.length == 0
            ? columns.values().stream().filter(c -> !c.isText()).toList()
            : Arrays.stream(names).map(this::numeric).toList();
    return tensor(dtype, chosen, Shape.of(rows, chosen.size()));
  }

  /**
   * Returns the texts of a column, without a copy.
   *
   * @throws ShapeException if there is no such column, the column is not text, or has more rows
   *     than a list
   */
  public List<String> texts(String name) {
    TableColumn c = textual(name);
    if (rows > Integer.MAX_VALUE) {
      throw new ShapeException(
          "[texts] a list must have at most 2147483647 rows; got " + rows + "; use codes.");
    }
    return c.texts();
  }

  /**
   * Returns the different texts of a column, sorted; {@link #codes} are positions in this list.
   *
   * @throws ShapeException if there is no such column, or the column is not text
   */
  public List<String> categories(String name) {
    return textual(name).categories();
  }

  /**
   * Copies the categories of a text column to a tensor [rows]: positions in {@link #categories}.
   *
   * @throws ShapeException if there is no such column, or the column is not text
   */
  public Tensor<I32> codes(String name) {
    TableColumn c = textual(name);
    int[] positions = c.positions();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocate(ValueLayout.JAVA_INT, rows);
      for (long k = 0; k < rows; k++) {
        data.setAtIndex(ValueLayout.JAVA_INT, k, positions[(int) c.whole(k)]);
      }
      return context.tensor(I32.INSTANCE, data, Shape.of(rows));
    }
  }

  /**
   * Returns a table of some columns, in this order, without a copy.
   *
   * @throws ShapeException if there is no such column, or one is named twice
   */
  public Table select(String... names) {
    var chosen = new ArrayList<TableColumn>();
    for (String name : names) {
      TableColumn c = get(name);
      if (chosen.contains(c)) {
        throw new ShapeException(
            "[select] columns must be named once; got '%s' twice.".formatted(Excerpt.of(name)));
      }
      chosen.add(c);
    }
    return new Table(context, chosen, rows);
  }

  /** Returns a table of the first five rows, without a copy. */
  public Table head() {
    return head(HEAD);
  }

  /** Returns a table of the first rows, without a copy; of all rows if there are fewer. */
  public Table head(long count) {
    if (count < 0) {
      throw new ShapeException(
          "[head] the number of rows must not be negative; got " + count + ".");
    }
    return new Table(context, columns(), Math.min(rows, count));
  }

  /** Prints {@link #toString()} to standard output. */
  public void print() {
    System.out.println(this);
  }

  /**
   * Text with the number of rows, the names and types of the columns, and up to ten rows; columns
   * beyond the width of a screen are counted.
   */
  @Override
  public String toString() {
    return TableText.of(columns(), rows);
  }

  // Access

  private TableColumn get(String name) {
    TableColumn c = columns.get(name);
    if (c == null) {
      throw new ShapeException(
          "[table] there must be a column '%s'; got the columns %s."
              .formatted(Excerpt.of(name), Excerpt.whole(columns.keySet().toString())));
    }
    return c;
  }

  private TableColumn numeric(String name) {
    TableColumn c = get(name);
    if (c.isText()) {
      throw new ShapeException(
          "[table] the values of a column must be numbers; got text in column '%s'%s; read it with"
                  .formatted(Excerpt.of(name), c.textCause().isEmpty() ? "" : ": " + c.textCause())
              + " texts or codes.");
    }
    return c;
  }

  private TableColumn textual(String name) {
    TableColumn c = get(name);
    if (!c.isText()) {
      throw new ShapeException(
          "[table] the column must be text; got %s in column '%s'; name it in CsvOptions.text."
              .formatted(dtype(c), Excerpt.of(name)));
    }
    return c;
  }

  private <T> Tensor<T> tensor(DType<T> dtype, List<TableColumn> from, Shape shape) {
    from.forEach(c -> requireHeld(dtype, c));
    try (Arena arena = Arena.ofConfined()) {
      if (dtype == (Object) F64.INSTANCE) {
        MemorySegment data = arena.allocate(ValueLayout.JAVA_DOUBLE, shape.size());
        each(from, (k, c, row) -> data.setAtIndex(ValueLayout.JAVA_DOUBLE, k, c.number(row)));
        return context.tensor(dtype, data, shape);
      }
      if (dtype == (Object) F32.INSTANCE) {
        MemorySegment data = arena.allocate(ValueLayout.JAVA_FLOAT, shape.size());
        each(from, (k, c, row) -> data.setAtIndex(ValueLayout.JAVA_FLOAT, k, single(c, row)));
        return context.tensor(dtype, data, shape);
      }
      if (dtype.isFloat()) {
        return context.eval(tensor(F64.INSTANCE, from, shape).cast(dtype));
      }
      MemorySegment data = arena.allocate(ValueLayout.JAVA_LONG, shape.size());
      each(from, (k, c, row) -> data.setAtIndex(ValueLayout.JAVA_LONG, k, whole(c, row)));
      Tensor<I64> all = context.tensor(I64.INSTANCE, data, shape);
      return dtype == (Object) I64.INSTANCE ? all.as(dtype) : context.eval(all.cast(dtype));
    }
  }

  /** Consumer of an element's number, its column and its row. */
  @FunctionalInterface
  private interface Each {
    void accept(long k, TableColumn c, long row);
  }

  private void each(List<TableColumn> from, Each f) {
    int width = from.size();
    for (int c = 0; c < width; c++) {
      TableColumn column = from.get(c);
      for (long row = 0; row < rows; row++) {
        f.accept(row * width + c, column, row);
      }
    }
  }

  /** Rounds a value once, also if it is a whole number beyond 53 bits. */
  private static float single(TableColumn c, long row) {
    return c.isFloating() ? (float) c.number(row) : (float) c.whole(row);
  }

  private static long whole(TableColumn c, long row) {
    return c.isFloating() ? (long) c.number(row) : c.whole(row);
  }

  private void requireHeld(DType<?> dtype, TableColumn c) {
    if (dtype.isFloat()) {
      return;
    }
    for (long row = 0; row < rows; row++) {
      double v = c.number(row);
      if (v != Math.rint(v) || v < -0x1p63 || v >= 0x1p63 && c.isFloating()) {
        throw notHeld(dtype, c, row, Double.toString(v));
      }
      if (!dtype.holds(whole(c, row))) {
        throw notHeld(dtype, c, row, Long.toString(whole(c, row)));
      }
    }
  }

  private static ShapeException notHeld(DType<?> dtype, TableColumn c, long row, String value) {
    return new ShapeException(
        "[table] the dtype must hold all values of a column; got %s for %s in row %s of column '%s';"
                .formatted(dtype, value, row, Excerpt.of(c.name()))
            + " use F64.");
  }
}
