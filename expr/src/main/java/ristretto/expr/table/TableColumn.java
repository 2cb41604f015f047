package ristretto.expr.table;

import java.lang.foreign.Arena;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongToDoubleFunction;
import java.util.function.LongUnaryOperator;

/**
 * Column of a table. Values are whole numbers or, if {@code floating}, bits of doubles; those of a
 * text column are numbers of its words.
 */
public final class TableColumn {
  private final String name;
  private final ColumnKind kind;
  private final boolean floating;
  private final Cells cells;
  private final List<String> words;

  /** Reason why the column is text, such as {@code 'abc' in line 7}; empty for other columns. */
  private final String textCause;

  TableColumn(
      String name,
      ColumnKind kind,
      boolean floating,
      Cells cells,
      List<String> words,
      String textCause) {
    this.name = name;
    this.kind = kind;
    this.floating = floating;
    this.cells = cells;
    this.words = words;
    this.textCause = textCause;
  }

  /** Creates a column of doubles. */
  public static TableColumn ofNumbers(String name, long rows, LongToDoubleFunction values) {
    var cells = new Cells(Arena.ofAuto());
    for (long k = 0; k < rows; k++) {
      cells.add(Double.doubleToRawLongBits(values.applyAsDouble(k)));
    }
    return new TableColumn(name, ColumnKind.NUMBER, true, cells, List.of(), "");
  }

  /** Creates a column of whole numbers, or of 0 and 1 for false and true. */
  public static TableColumn ofWhole(
      String name, boolean booleans, long rows, LongUnaryOperator values) {
    var cells = new Cells(Arena.ofAuto());
    for (long k = 0; k < rows; k++) {
      cells.add(values.applyAsLong(k));
    }
    ColumnKind kind = booleans ? ColumnKind.BOOLEAN : ColumnKind.WHOLE;
    return new TableColumn(name, kind, false, cells, List.of(), "");
  }

  /** Name of the column. */
  public String name() {
    return name;
  }

  /** Kind of the values. */
  public ColumnKind kind() {
    return kind;
  }

  /**
   * True if the values are floating-point numbers, because they are fractions or some are blank.
   */
  public boolean isFloating() {
    return floating;
  }

  /** Returns true for a column of texts. */
  public boolean isText() {
    return kind == ColumnKind.TEXT;
  }

  /** First text that made this a column of texts, with its line; empty if none did. */
  public String textCause() {
    return textCause;
  }

  /** Number of rows. */
  public long rows() {
    return cells.size();
  }

  /** Value of a row, of a column that is not floating; number of the word in a text column. */
  public long whole(long row) {
    return cells.get(row);
  }

  /** Value of a row of a column of numbers. */
  public double number(long row) {
    long v = cells.get(row);
    return floating ? Double.longBitsToDouble(v) : v;
  }

  /** Texts of all rows of a text column; reads the column at each access. */
  public List<String> texts() {
    int size = Math.toIntExact(cells.size());
    return new AbstractList<>() {
      @Override
      public String get(int row) {
        return words.get((int) cells.get(Objects.checkIndex(row, size)));
      }

      @Override
      public int size() {
        return size;
      }
    };
  }

  /** Different texts of a text column, sorted. */
  public List<String> categories() {
    var sorted = new ArrayList<>(words);
    Collections.sort(sorted);
    return List.copyOf(sorted);
  }

  /** Position in {@link #categories()} of each word of a text column. */
  public int[] positions() {
    Map<String, Integer> positions = new HashMap<>();
    List<String> sorted = categories();
    for (int k = 0; k < sorted.size(); k++) {
      positions.put(sorted.get(k), k);
    }
    return words.stream().mapToInt(positions::get).toArray();
  }
}
