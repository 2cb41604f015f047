package ristretto.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Table for a terminal. */
public final class TextTable {
  /** Number of leading text columns; the others are numbers. */
  private static final int WORDS = 2;

  private TextTable() {}

  public static String of(List<Row> rows) {
    if (rows.isEmpty()) {
      return "";
    }
    var lines = new ArrayList<List<String>>();
    lines.add(Cells.header(rows));
    rows.forEach(r -> lines.add(Cells.cells(r, rows)));
    int columns = lines.getFirst().size();
    int[] width = new int[columns];
    for (List<String> line : lines) {
      for (int k = 0; k < columns; k++) {
        width[k] = Math.max(width[k], line.get(k).length());
      }
    }
    var text = new StringBuilder();
    for (List<String> line : lines) {
      for (int k = 0; k < columns - 1; k++) {
        text.append(pad(line.get(k), width[k], k >= WORDS)).append("  ");
      }
      text.append(line.getLast()).append('\n');
    }
    return text.toString();
  }

  private static String pad(String cell, int width, boolean right) {
    return String.format(Locale.ROOT, right ? "%" + width + "s" : "%-" + width + "s", cell);
  }

  /** Formats one line per fact. */
  public static String ofFacts(List<Fact> facts) {
    var text = new StringBuilder();
    for (Fact fact : facts) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-22s %-62s %10s %-3s %s%n",
              fact.name(),
              fact.what(),
              Cells.significant(fact.value()),
              fact.unit(),
              fact.target().isEmpty()
                  ? ""
                  : (fact.met() ? "ok, " : "missed: ") + "at most " + plain(fact.target().get())));
    }
    return text.toString();
  }

  static String plain(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
