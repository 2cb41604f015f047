package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import ristretto.expr.Ops;
import ristretto.expr.file.Excerpt;
import ristretto.expr.table.CsvRows;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;

/** Reader of comma-separated numbers below a header line, one column of which is the label. */
final class Csv implements CsvRows.RowReceiver {
  private final Path file;
  private final String label;
  private final GrowableArrays values;
  private List<String> names;
  private int labelColumn;
  private int rows;

  private Csv(Path file, String label) {
    this.file = file;
    this.label = label;
    this.values = new GrowableArrays("csv", file);
  }

  static Dataset read(Path file, String label) {
    var csv = new Csv(file, label);
    CsvRows.read(file, ',', csv);
    return csv.dataset();
  }

  @Override
  public void header(List<String> columns) {
    names = columns;
    labelColumn = names.indexOf(label);
    if (labelColumn < 0) {
      throw malformed(
          "there must be a column " + label, "the columns " + Excerpt.of(names.toString()));
    }
  }

  @Override
  public void row(List<String> texts, long line) {
    for (int column = 0; column < names.size(); column++) {
      double value = number(texts.get(column), line, column);
      if (column == labelColumn) {
        values.add((int) value);
      } else {
        values.add((float) value);
      }
    }
    rows++;
  }

  private Dataset dataset() {
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

  private FileFormatException malformed(String rule, String got) {
    return CsvRows.malformed(file, rule, got);
  }
}
