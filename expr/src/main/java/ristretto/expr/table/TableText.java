package ristretto.expr.table;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import ristretto.expr.file.Excerpt;

/** Text of a table: names and types of the columns, and some rows. */
public final class TableText {
  private static final int ROWS = 10;
  private static final int WIDTH = 100;
  private static final int CELL = 24;
  private static final String GAP = "  ";
  private static final String CUT = "...";

  private TableText() {}

  /** Returns the text of the first rows of columns. */
  public static String of(List<TableColumn> columns, long rows) {
    int shown = (int) Math.min(rows, ROWS);
    var lines = new ArrayList<StringBuilder>();
    for (int k = 0; k < shown + 2; k++) {
      lines.add(new StringBuilder());
    }
    int width = 0;
    int some = 0;
    for (TableColumn c : columns) {
      List<String> cells = cells(c, shown);
      int wide =
          cells.stream().mapToInt(text -> text.codePointCount(0, text.length())).max().orElse(0);
      width += wide + (some > 0 ? GAP.length() : 0);
      if (some > 0 && width > WIDTH) {
        break;
      }
      for (int k = 0; k < cells.size(); k++) {
        lines.get(k).append(some > 0 ? GAP : "").append(padded(cells.get(k), wide, c.isText()));
      }
      some++;
    }
    var text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "table of %d rows, %d columns", rows, columns.size()));
    if (!columns.isEmpty()) {
      lines.forEach(line -> text.append('\n').append(line.toString().stripTrailing()));
    }
    if (rows > shown) {
      text.append('\n').append(CUT);
    }
    if (some < columns.size()) {
      text.append("\nand the columns ");
      text.append(
          Excerpt.of(
              String.join(
                  ", ",
                  columns.subList(some, columns.size()).stream().map(TableColumn::name).toList())));
    }
    return text.toString();
  }

  private static String padded(String text, int width, boolean left) {
    String space = " ".repeat(width - text.codePointCount(0, text.length()));
    return left ? text + space : space + text;
  }

  private static List<String> cells(TableColumn c, int rows) {
    var cells = new ArrayList<String>();
    cells.add(cut(c.name()));
    cells.add(type(c));
    for (int row = 0; row < rows; row++) {
      cells.add(cell(c, row));
    }
    return cells;
  }

  private static String cut(String text) {
    String shown = Excerpt.of(text);
    int length = shown.codePointCount(0, shown.length());
    return length <= CELL
        ? shown
        : shown.substring(0, shown.offsetByCodePoints(0, CELL - CUT.length())) + CUT;
  }

  private static String type(TableColumn c) {
    return switch (c.kind()) {
      case BOOLEAN -> c.isFloating() ? "f64" : "bool";
      case WHOLE -> c.isFloating() ? "f64" : "i64";
      case NUMBER, BLANK -> "f64";
      case DATE -> "date";
      case TIME -> "time";
      case TEXT -> "text";
    };
  }

  /** Text of a value, as in a CSV file, but NaN for a missing one. */
  private static String cell(TableColumn c, long row) {
    String text = text(c, row);
    return cut(c.isText() ? text : text.isEmpty() ? "nan" : text);
  }

  /** Text of a value in a CSV file: empty for NaN, dates in ISO format. */
  static String text(TableColumn c, long row) {
    if (c.isText()) {
      return c.texts().get((int) row);
    }
    if (c.isFloating() && Double.isNaN(c.number(row))) {
      return "";
    }
    return switch (c.kind()) {
      case BOOLEAN -> c.number(row) != 0 ? "true" : "false";
      case DATE -> LocalDate.ofEpochDay((long) c.number(row)).toString();
      case TIME -> Instant.ofEpochMilli((long) c.number(row)).atOffset(ZoneOffset.UTC).toString();
      case WHOLE -> Long.toString(c.isFloating() ? (long) c.number(row) : c.whole(row));
      case NUMBER, BLANK -> number(c.number(row));
      case TEXT -> throw new AssertionError(c.name());
    };
  }

  /** Shortest text of a number that reads back equal. */
  private static String number(double v) {
    return Double.isInfinite(v) ? v > 0 ? "inf" : "-inf" : Double.toString(v);
  }
}
