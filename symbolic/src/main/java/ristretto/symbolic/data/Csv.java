package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Ops;
import ristretto.expr.file.Excerpt;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;

/**
 * Reader of comma-separated numbers below a header line; names and values may be in double quotes.
 */
final class Csv {
  private static final int MOST_COLUMNS = 1 << 20;

  /** Limit of blank lines at the end of a file, since a stream of blank lines may be endless. */
  private static final int MOST_BLANK = 1 << 20;

  private final Path file;
  private final String label;
  private final GrowableArrays values;
  private List<String> names;
  private int labelColumn;
  private int rows;
  private int blank;

  private Csv(Path file, String label) {
    this.file = file;
    this.label = label;
    this.values = new GrowableArrays("csv", file);
  }

  static Dataset read(Path file, String label) {
    var csv = new Csv(file, label);
    LineReader.forEach("csv", file, csv::line);
    return csv.dataset();
  }

  private void line(String line, long number) {
    if (line.isBlank()) {
      if (++blank > MOST_BLANK) {
        throw malformed("at most " + MOST_BLANK + " blank lines may end a file", "more");
      }
      return;
    }
    if (blank > 0) {
      throw malformed(
          names == null
              ? "the first line must name the columns"
              : "every line must have a value for each of the " + names.size() + " columns",
          "a blank line " + (number - blank));
    }
    if (names == null) {
      header(line);
    } else {
      row(line, number);
    }
  }

  private void header(String line) {
    names = split(line, 1);
    labelColumn = names.indexOf(label);
    if (names.size() > MOST_COLUMNS) {
      throw malformed("there must be at most " + MOST_COLUMNS + " columns", "" + names.size());
    }
    if (labelColumn < 0) {
      throw malformed(
          "there must be a column " + label, "the columns " + Excerpt.of(names.toString()));
    }
  }

  private void row(String line, long number) {
    List<String> texts = split(line, number);
    if (texts.size() != names.size()) {
      throw malformed(
          "every line must have a value for each of the " + names.size() + " columns",
          texts.size() + " in line " + number);
    }
    for (int column = 0; column < names.size(); column++) {
      double value = number(texts.get(column), number, column);
      if (column == labelColumn) {
        values.add((int) value);
      } else {
        values.add((float) value);
      }
    }
    rows++;
  }

  private Dataset dataset() {
    if (names == null) {
      throw malformed("the first line must name the columns", "an empty file");
    }
    return new HostDataset(
        file.toString(),
        List.of(
            HostDataset.column(
                "features",
                Ops.F32,
                Shape.of(rows, names.size() - 1),
                MemorySegment.ofArray(values.floats())),
            HostDataset.column(
                "label", Ops.I32, Shape.of(rows), MemorySegment.ofArray(values.ints()))));
  }

  private double number(String text, long line, int column) {
    boolean whole = column == labelColumn;
    try {
      return whole ? Integer.parseInt(text) : Float.parseFloat(text);
    } catch (NumberFormatException _) {
      throw malformed(
          whole ? "labels must be whole numbers" : "values must be numbers",
          String.format(
              Locale.ROOT,
              "'%s' in column %s of line %d",
              Excerpt.of(text),
              Excerpt.of(names.get(column)),
              line));
    }
  }

  private List<String> split(String line, long number) {
    if (line.indexOf('"') < 0) {
      return Arrays.stream(line.split(",", -1)).map(String::strip).toList();
    }
    var all = new ArrayList<String>();
    var value = new StringBuilder();
    boolean quoted = false;
    for (int k = 0; k < line.length(); k++) {
      char c = line.charAt(k);
      if (c == '"' && quoted && k + 1 < line.length() && line.charAt(k + 1) == '"') {
        value.append('"');
        k++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        all.add(value.toString().strip());
        value.setLength(0);
      } else {
        value.append(c);
      }
    }
    if (quoted) {
      throw malformed("quotes must be closed on their line", "an open one in line " + number);
    }
    all.add(value.toString().strip());
    return all;
  }

  private FileFormatException malformed(String rule, String got) {
    return new FileFormatException("[csv] %s; got %s of %s.".formatted(rule, got, file));
  }
}
