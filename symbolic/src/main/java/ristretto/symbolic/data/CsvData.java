package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.file.Excerpt;
import ristretto.expr.table.CsvRows;
import ristretto.kernels.ShapeException;

/** Examples of a CSV file, with what was learned from the first file read by {@link CsvColumns}. */
public final class CsvData implements Dataset {
  private final CsvColumns columns;
  private final Map<String, CsvLearned> learned;
  private final HostDataset rows;

  private CsvData(CsvColumns columns, Map<String, CsvLearned> learned, HostDataset rows) {
    this.columns = columns;
    this.learned = learned;
    this.rows = rows;
  }

  static CsvData read(CsvColumns columns, Path file, Map<String, CsvLearned> before) {
    var reading = new Reading(columns, file, before);
    CsvRows.read(file, columns.separator(), reading);
    var learned = new LinkedHashMap<String, CsvLearned>();
    var data = new ArrayList<HostDataset.Column>();
    for (CsvReading r : reading.readings) {
      data.add(r.finish());
      learned.put(r.field().name(), r.learned());
    }
    return new CsvData(columns, learned, new HostDataset(file.toString(), data));
  }

  /** Receiver of rows, which passes them on to the fields. */
  private static final class Reading implements CsvRows.RowReceiver {
    final List<CsvReading> readings = new ArrayList<>();
    private final CsvColumns columns;
    private final Path file;
    private final Map<String, CsvLearned> before;

    /** Columns of each field. */
    private final List<int[]> indices = new ArrayList<>();

    Reading(CsvColumns columns, Path file, Map<String, CsvLearned> before) {
      this.columns = columns;
      this.file = file;
      this.before = before;
    }

    @Override
    public void header(List<String> names) {
      for (CsvField field : columns.fields()) {
        indices.add(field.columns().stream().mapToInt(name -> index(names, name)).toArray());
        CsvLearned known = before == null ? null : before.get(field.name());
        readings.add(CsvReading.of(columns, field, file, known));
      }
    }

    private int index(List<String> names, String name) {
      int at = names.indexOf(name);
      if (at < 0) {
        throw CsvRows.malformed(
            file, "there must be a column " + name, "the columns " + Excerpt.of(names.toString()));
      }
      if (names.lastIndexOf(name) != at) {
        throw CsvRows.malformed(
            file, "a column must have a unique name", "two columns " + Excerpt.of(name));
      }
      return at;
    }

    @Override
    public void row(List<String> values, long line) {
      if (columns.missing() == Missing.DROP_ROW) {
        for (int[] of : indices) {
          for (int k : of) {
            if (columns.isMissing(values.get(k))) {
              return;
            }
          }
        }
      }
      for (int f = 0; f < readings.size(); f++) {
        for (int k : indices.get(f)) {
          readings.get(f).add(values.get(k), line);
        }
      }
    }
  }

  /**
   * Reads another file with the means, categories and words of the first one, for example data for
   * validation.
   *
   * @throws ristretto.kernels.FileFormatException if a category is unknown, and missing values are
   *     not kept
   */
  public CsvData like(Path file) {
    return read(columns, file, learned);
  }

  /**
   * Returns the texts of a category, or the words of a text, by their numbers.
   *
   * @throws ShapeException if the field is none of these
   */
  public List<String> vocabulary(String field) {
    CsvLearned known = learned.get(field);
    if (known == null || known.words().isEmpty()) {
      throw new ShapeException(
          "[csv] a vocabulary belongs to a category or a text; got %s of %s."
              .formatted(field, fields()));
    }
    return known.words();
  }

  @Override
  public List<Field> fields() {
    return rows.fields();
  }

  @Override
  public List<?> codes(int field) {
    CsvLearned known = learned.get(fields().get(field).name());
    return columns.codes(columns.fields().get(field), known);
  }

  @Override
  public long size() {
    return rows.size();
  }

  @Override
  public void read(int field, long example, MemorySegment to) {
    rows.read(field, example, to);
  }

  /** Returns text like {@code 200 examples of [x f32[8]]}. */
  @Override
  public String toString() {
    return size() + " examples of " + fields();
  }
}
