package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Ops;
import ristretto.expr.Shape;
import ristretto.kernels.FileFormatException;

/** Numbers separated by commas under a line of names; any of them may be in double quotes. */
final class Csv {
  private final Path file;
  private final List<String> lines;
  private final List<String> names;

  private Csv(Path file) {
    this.file = file;
    this.lines = withoutBlankEnd(Lines.of("csv", file));
    if (lines.isEmpty()) {
      throw malformed("the first line must name the columns", "an empty file");
    }
    this.names = split(0);
  }

  private static List<String> withoutBlankEnd(List<String> lines) {
    int end = lines.size();
    while (end > 0 && lines.get(end - 1).isBlank()) {
      end--;
    }
    return lines.subList(0, end);
  }

  static Dataset read(Path file, String label) {
    return new Csv(file).read(label);
  }

  private Dataset read(String label) {
    int labelColumn = names.indexOf(label);
    if (labelColumn < 0) {
      throw malformed("there must be a column " + label, "the columns " + names);
    }
    int width = names.size() - 1;
    int rows = lines.size() - 1;
    float[] features = new float[Math.multiplyExact(rows, width)];
    int[] labels = new int[rows];
    for (int row = 0; row < rows; row++) {
      List<String> values = split(row + 1);
      if (values.size() != names.size()) {
        throw malformed(
            "every line must have a value for each of the " + names.size() + " columns",
            values.size() + " in line " + (row + 2));
      }
      int at = row * width;
      for (int column = 0; column <= width; column++) {
        if (column == labelColumn) {
          labels[row] = (int) number(values, row, column, true);
        } else {
          features[at++] = (float) number(values, row, column, false);
        }
      }
    }
    return new HostDataset(
        file.toString(),
        List.of(
            HostDataset.column(
                "features", Ops.F32, Shape.of(rows, width), MemorySegment.ofArray(features)),
            HostDataset.column("label", Ops.I32, Shape.of(rows), MemorySegment.ofArray(labels))));
  }

  private double number(List<String> values, int row, int column, boolean whole) {
    String text = values.get(column);
    try {
      return whole ? Integer.parseInt(text) : Float.parseFloat(text);
    } catch (NumberFormatException _) {
      throw malformed(
          whole ? "labels must be whole numbers" : "values must be numbers",
          String.format(
              Locale.ROOT, "'%s' in column %s of line %d", text, names.get(column), row + 2));
    }
  }

  private List<String> split(int index) {
    String line = lines.get(index);
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
      throw malformed("quotes must be closed on their line", "an open one in line " + (index + 1));
    }
    all.add(value.toString().strip());
    return all;
  }

  private FileFormatException malformed(String rule, String got) {
    return new FileFormatException("[csv] %s; got %s of %s.".formatted(rule, got, file));
  }
}
