package ristretto.expr.table;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import ristretto.expr.file.Excerpt;
import ristretto.expr.option.CsvOptions;
import ristretto.kernels.FileFormatException;

/** Reader of CSV files into columns, whose types are found while the file is read. */
public final class CsvTable implements CsvRows.Receiver {
  private final Path file;
  private final CsvOptions options;

  /** Columns known to be text from an earlier pass, with the value that showed it. */
  private final Map<String, String> texts;

  /** Values for the columns, which another thread parses. */
  private final ValueQueue queue = new ValueQueue(this::parse);

  private final Arena arena = Arena.ofAuto();
  private final List<ColumnReader> readers = new ArrayList<>();

  /** Reader of each column of the file; null for columns that are left out. */
  private ColumnReader[] byColumn;

  private CsvTable(Path file, CsvOptions options, Map<String, String> texts) {
    this.file = file;
    this.options = options;
    this.texts = texts;
  }

  /**
   * Reads a file, twice if a column that begins with numbers has other texts later.
   *
   * @throws ristretto.kernels.FileException if the file cannot be read
   * @throws FileFormatException if the file is no CSV file, or lacks a column
   */
  public static List<TableColumn> read(Path file, CsvOptions options) {
    var texts = new HashMap<String, String>();
    options.texts().forEach(name -> texts.put(name, ""));
    var table = new CsvTable(file, options, texts);
    table.read();
    if (table.readers.stream().noneMatch(ColumnReader::mustReadAgain)) {
      return table.finish();
    }
    for (ColumnReader reader : table.readers) {
      if (reader.mustReadAgain()) {
        texts.put(reader.name(), reader.textCause());
      }
    }
    if (!Files.isRegularFile(file)) {
      throw CsvRows.malformed(
          file,
          "a pipe can be read only once, so columns of text must begin with a text, or be named"
              + " with CsvOptions.text",
          texts.values().stream().filter(cause -> !cause.isEmpty()).findFirst().orElse(""));
    }
    var again = new CsvTable(file, options, texts);
    again.read();
    return again.finish();
  }

  private void read() {
    try {
      CsvRows.read(file, options.separator(), options.quote(), options.header(), this);
    } finally {
      // Earlier values come first: their exception replaces one of the rows after them.
      queue.finish();
    }
  }

  private List<TableColumn> finish() {
    return readers.stream().map(ColumnReader::finish).toList();
  }

  @Override
  public void header(List<String> found) {
    List<String> names = options.names().isEmpty() ? found : options.names();
    if (names.size() != found.size()) {
      throw CsvRows.malformed(
          file, "there must be a name for each column", names.size() + " for " + found.size());
    }
    var seen = new HashSet<String>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw CsvRows.malformed(
            file,
            "columns must have different names",
            "two columns '%s'".formatted(Excerpt.of(name)));
      }
    }
    byColumn = new ColumnReader[names.size()];
    for (String name : options.columns().isEmpty() ? names : options.columns()) {
      int at = index(names, name);
      byColumn[at] =
          new ColumnReader(
              file,
              name,
              options.missing(),
              options.point(),
              options.dates().get(name),
              texts.get(name),
              arena);
      readers.add(byColumn[at]);
    }
    options.texts().forEach(name -> index(names, name));
    options.dates().keySet().forEach(name -> index(names, name));
  }

  private int index(List<String> names, String name) {
    int at = names.indexOf(name);
    if (at < 0) {
      throw CsvRows.malformed(
          file,
          "there must be a column " + Excerpt.of(name),
          "the columns " + Excerpt.of(names.toString()));
    }
    return at;
  }

  @Override
  public void value(int column, char[] text, int at, int length, long line) {
    if (byColumn[column] != null) {
      queue.add(column, text, at, length, line);
    }
  }

  private void parse(int column, char[] text, int at, int length, long line) {
    byColumn[column].add(text, at, length, line);
  }

  @Override
  public void endRow(long line) {
    // The columns count their values.
  }
}
