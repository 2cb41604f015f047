package ristretto.expr.table;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import ristretto.expr.file.Excerpt;

/**
 * Values of a column while a file is read. The kind of the column is that of its first value, and
 * widens as others come: whole numbers to numbers, dates to dates with a time. Any other mixture is
 * text; since the texts of earlier values are gone then, the file is read again.
 */
final class ColumnReader {
  private static final long MOST_EXACT = 1L << 53;

  private final Path file;
  private final String name;
  private final Set<String> missing;
  private final int longestMissing;
  private final NumberText numbers;
  private final DateText dates;
  private final Words words = new Words();
  private final boolean fixed;
  private Cells cells;
  private ColumnKind kind = ColumnKind.BLANK;
  private boolean floating;
  private long inexactLine;
  private String textCause = "";
  private boolean again;

  /**
   * Creates a column without values.
   *
   * @param textCause null, or the reason why the column is text
   * @param pattern pattern of dates, or null
   */
  ColumnReader(
      Path file,
      String name,
      Set<String> missing,
      char point,
      String pattern,
      String textCause,
      Arena arena) {
    this.file = file;
    this.name = name;
    this.missing = missing;
    this.longestMissing = missing.stream().mapToInt(String::length).max().orElse(-1);
    this.numbers = new NumberText(point);
    this.dates = pattern == null ? DateText.iso() : DateText.of(pattern);
    this.fixed = pattern != null;
    this.cells = new Cells(arena);
    if (textCause != null) {
      this.kind = ColumnKind.TEXT;
      this.textCause = textCause;
    }
  }

  /** Returns true if the column turned out to be text after values were read otherwise. */
  boolean mustReadAgain() {
    return again;
  }

  String name() {
    return name;
  }

  String textCause() {
    return textCause;
  }

  TableColumn finish() {
    if (inexactLine > 0 && kind == ColumnKind.WHOLE && floating) {
      throw CsvRows.malformed(
          file,
          "whole numbers beyond 2^53 must not be in a column with missing values, which is F64;"
              + " read it as text with CsvOptions.text",
          String.format(Locale.ROOT, "one in column %s of line %d", Excerpt.of(name), inexactLine));
    }
    return new TableColumn(name, kind, floating, cells, List.copyOf(words.all()), textCause);
  }

  void add(char[] text, int at, int length, long line) {
    if (again) {
      return;
    }
    switch (kind) {
      case TEXT -> cells.add(words.number(text, at, length));
      case WHOLE -> {
        if (numbers.isWhole(text, at, length)) {
          whole(numbers.whole, line);
        } else if (!blank(text, at, length)) {
          widen(text, at, length, line);
        }
      }
      case NUMBER -> {
        if (numbers.isNumber(text, at, length)) {
          cells.add(Double.doubleToRawLongBits(numbers.number));
        } else if (!blank(text, at, length)) {
          toText(text, at, length, line);
        }
      }
      case BLANK, BOOLEAN, DATE, TIME -> {
        if (!blank(text, at, length)) {
          widen(text, at, length, line);
        }
      }
    }
  }

  private void whole(long value, long line) {
    if ((value > MOST_EXACT || value < -MOST_EXACT) && inexactLine == 0) {
      inexactLine = line;
    }
    cell(value);
  }

  /** Adds a whole number, a boolean or a date. */
  private void cell(long value) {
    cells.add(floating ? Double.doubleToRawLongBits(value) : value);
  }

  private boolean blank(char[] text, int at, int length) {
    if (length > longestMissing || !missing.contains(new String(text, at, length))) {
      return false;
    }
    toFloating();
    cells.add(Double.doubleToRawLongBits(Double.NaN));
    return true;
  }

  private void toFloating() {
    if (!floating) {
      cells.map(v -> Double.doubleToRawLongBits(v));
      floating = true;
    }
  }

  /** Adds a value that may be of another kind than the values before it. */
  private void widen(char[] text, int at, int length, long line) {
    boolean open = kind == ColumnKind.BLANK;
    boolean number = (open || kind == ColumnKind.WHOLE) && !fixed;
    if (number && numbers.isWhole(text, at, length)) {
      kind = ColumnKind.WHOLE;
      whole(numbers.whole, line);
    } else if (number && numbers.isNumber(text, at, length)) {
      toFloating();
      kind = ColumnKind.NUMBER;
      cells.add(Double.doubleToRawLongBits(numbers.number));
    } else if ((open || kind == ColumnKind.BOOLEAN) && !fixed && isBoolean(text, at, length)) {
      kind = ColumnKind.BOOLEAN;
      cell(length == "true".length() ? 1 : 0);
    } else if ((open || kind == ColumnKind.DATE || kind == ColumnKind.TIME)
        && dates.isDate(text, at, length)) {
      kind = open ? ColumnKind.DATE : kind;
      cell(kind == ColumnKind.TIME ? dates.value * DateText.DAY : dates.value);
    } else if ((open || kind == ColumnKind.DATE || kind == ColumnKind.TIME)
        && dates.isTime(text, at, length)) {
      if (kind == ColumnKind.DATE) {
        cells.map(v ->
            floating
                ? Double.doubleToRawLongBits(Double.longBitsToDouble(v) * DateText.DAY)
                : v * DateText.DAY);
      }
      kind = ColumnKind.TIME;
      cell(dates.value);
    } else {
      toText(text, at, length, line);
    }
  }

  private static boolean isBoolean(char[] text, int at, int length) {
    return NumberText.isWord(text, at, length, "true")
        || NumberText.isWord(text, at, length, "false");
  }

  private void toText(char[] text, int at, int length, long line) {
    String got =
        String.format(
            Locale.ROOT,
            "'%s' in column %s of line %d",
            Excerpt.of(new String(text, at, length)),
            Excerpt.of(name),
            line);
    if (fixed) {
      throw CsvRows.malformed(file, "dates must have their format, and be in the calendar", got);
    }
    textCause = got;
    again = cells.size() > 0;
    kind = ColumnKind.TEXT;
    if (again) {
      cells = null;
    } else {
      cells.add(words.number(text, at, length));
    }
  }
}
