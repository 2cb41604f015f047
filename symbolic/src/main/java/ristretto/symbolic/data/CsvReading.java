package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.expr.Ops;
import ristretto.expr.file.Excerpt;
import ristretto.expr.table.CsvRows;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;

/** Values of a field, collected row by row. */
abstract sealed class CsvReading {
  static final int MOST_WORDS = 10_000_000;

  final CsvColumns columns;
  final Path file;
  final GrowableArrays values;

  /** Knowledge from the first file; null while that is read. */
  CsvLearned learned;

  private CsvReading(CsvColumns columns, Path file, CsvLearned learned) {
    this.columns = columns;
    this.file = file;
    this.learned = learned;
    this.values = new GrowableArrays("csv", file);
  }

  static CsvReading of(CsvColumns columns, CsvField field, Path file, CsvLearned learned) {
    return switch (field) {
      case CsvField.Numbers f -> new NumberReading(columns, f, file, learned);
      case CsvField.Whole f -> new WholeReading(columns, f, file);
      case CsvField.Category f -> new CategoryReading(columns, f, file, learned);
      case CsvField.Text f -> new TextReading(columns, f, file, learned);
    };
  }

  abstract CsvField field();

  /** Adds the value of the next column. */
  abstract void add(String text, long line);

  /** Returns all values, after the knowledge is complete. */
  abstract HostDataset.Column finish();

  CsvLearned learned() {
    return learned;
  }

  /** Returns true for a missing value that is kept. */
  boolean isMissing(String text, long line, String column) {
    if (!columns.isMissing(text)) {
      return false;
    }
    if (!columns.missing().keeps()) {
      throw new FileFormatException(
          "[csv] values must not be missing; got %s of %s; decide on them with missing(...)."
              .formatted(place(text, line, column), file));
    }
    return true;
  }

  static String place(String text, long line, String column) {
    return String.format(
        Locale.ROOT, "'%s' in column %s of line %d", Excerpt.of(text), Excerpt.of(column), line);
  }

  HostDataset.Column ints(int[] all, long... shape) {
    return HostDataset.column(field().name(), Ops.I32, Shape.of(shape), MemorySegment.ofArray(all));
  }

  /** Numbers and dates. */
  private static final class NumberReading extends CsvReading {
    private final CsvField.Numbers field;
    private final int width;
    private int next;

    NumberReading(CsvColumns columns, CsvField.Numbers field, Path file, CsvLearned learned) {
      super(columns, file, learned);
      this.field = field;
      this.width = field.columns().size();
    }

    @Override
    CsvField field() {
      return field;
    }

    @Override
    void add(String text, long line) {
      String column = field.columns().get(next);
      next = (next + 1) % width;
      if (isMissing(text, line, column)) {
        values.add(Float.NaN);
        return;
      }
      try {
        values.add(field.parse(text));
      } catch (NumberFormatException | DateTimeException _) {
        throw CsvRows.malformed(file, field.rule(), place(text, line, column));
      }
    }

    @Override
    HostDataset.Column finish() {
      float[] all = values.floats();
      boolean scaled = columns.isStandardized() && field.vector();
      if (learned == null) {
        learned = learn(all);
      }
      for (int k = 0; k < all.length; k++) {
        double mean = learned.means().get(k % width);
        double v = all[k];
        if (Double.isNaN(v)) {
          v =
              switch (columns.missing()) {
                case MEAN -> known(mean, k % width);
                case ZERO -> 0;
                case NAN, REFUSE, DROP_ROW -> v;
              };
        }
        all[k] = (float) (scaled ? (v - mean) / learned.deviations().get(k % width) : v);
      }
      int rows = all.length / width;
      return HostDataset.column(
          field.name(),
          Ops.F32,
          field.vector() ? Shape.of(rows, width) : Shape.of(rows),
          MemorySegment.ofArray(all));
    }

    private double known(double mean, int column) {
      if (Double.isNaN(mean)) {
        throw CsvRows.malformed(
            file,
            "a mean needs a number in the first file",
            "none in column " + Excerpt.of(field.columns().get(column)));
      }
      return mean;
    }

    private CsvLearned learn(float[] all) {
      var means = new ArrayList<Double>();
      var deviations = new ArrayList<Double>();
      for (int c = 0; c < width; c++) {
        double mean = mean(all, c, 0, false);
        double deviation = Math.sqrt(mean(all, c, mean, true));
        means.add(mean);
        deviations.add(deviation > 0 ? deviation : 1);
      }
      return new CsvLearned(means, deviations, List.of());
    }

    /** Returns the mean of a column, or of squared differences; NaN without numbers. */
    private double mean(float[] all, int column, double from, boolean squared) {
      double sum = 0;
      long count = 0;
      for (int k = column; k < all.length; k += width) {
        if (!Float.isNaN(all[k])) {
          double d = all[k] - from;
          sum += squared ? d * d : d;
          count++;
        }
      }
      return count == 0 ? Double.NaN : sum / count;
    }
  }

  /** Whole numbers. */
  private static final class WholeReading extends CsvReading {
    private final CsvField.Whole field;

    WholeReading(CsvColumns columns, CsvField.Whole field, Path file) {
      super(columns, file, CsvLearned.NOTHING);
      this.field = field;
    }

    @Override
    CsvField field() {
      return field;
    }

    @Override
    void add(String text, long line) {
      if (columns.missing() != Missing.ZERO && columns.isMissing(text)) {
        throw new FileFormatException(
            "[csv] whole numbers must not be missing; got %s of %s; drop the rows, or have zeros,"
                    .formatted(place(text, line, field.name()), file)
                + " with missing(...).");
      }
      try {
        values.add(columns.isMissing(text) ? 0 : Integer.parseInt(text));
      } catch (NumberFormatException _) {
        throw CsvRows.malformed(
            file, "values must be whole numbers", place(text, line, field.name()));
      }
    }

    @Override
    HostDataset.Column finish() {
      int[] all = values.ints();
      return ints(all, all.length);
    }
  }

  /** Texts that are numbered in their order of appearance until the file ends. */
  private abstract static sealed class WordReading extends CsvReading {
    final Map<String, Integer> numbers = new LinkedHashMap<>();

    WordReading(CsvColumns columns, Path file, CsvLearned learned) {
      super(columns, file, learned);
      if (learned != null) {
        numbers.putAll(learned.numbers());
      }
    }

    /** Returns the number of a text, a new one while the first file is read. */
    int number(String text, int unknown) {
      if (learned != null) {
        return numbers.getOrDefault(text, unknown);
      }
      int number = numbers.computeIfAbsent(text, _ -> numbers.size());
      if (numbers.size() > MOST_WORDS) {
        throw CsvRows.malformed(
            file,
            "a column must have at most " + MOST_WORDS + " different texts",
            "more in column " + Excerpt.of(field().name()));
      }
      return number;
    }
  }

  /** Categories. */
  private static final class CategoryReading extends WordReading {
    private final CsvField.Category field;

    CategoryReading(CsvColumns columns, CsvField.Category field, Path file, CsvLearned learned) {
      super(columns, file, learned);
      this.field = field;
    }

    @Override
    CsvField field() {
      return field;
    }

    @Override
    void add(String text, long line) {
      String word = isMissing(text, line, field.name()) ? Vocabulary.UNKNOWN : text;
      int number = number(word, columns.missing().keeps() ? 0 : -1);
      if (number < 0) {
        throw new FileFormatException(
            "[csv] categories must occur in the first file; got %s of %s; add the category there,"
                    .formatted(place(text, line, field.name()), file)
                + " or keep missing values with missing(...), which makes <unk> of it.");
      }
      values.add(number);
    }

    @Override
    HostDataset.Column finish() {
      int[] all = values.ints();
      if (learned == null) {
        var texts = new ArrayList<>(numbers.keySet());
        texts.remove(Vocabulary.UNKNOWN);
        texts.sort(Comparator.naturalOrder());
        if (columns.missing().keeps() || numbers.containsKey(Vocabulary.UNKNOWN)) {
          texts.add(0, Vocabulary.UNKNOWN);
        }
        renumber(all, numbers, texts, 0);
        learned = CsvLearned.of(texts);
      }
      return ints(all, all.length);
    }
  }

  /** Words of texts. */
  private static final class TextReading extends WordReading {
    private static final String PADDING = "<pad>";
    private final CsvField.Text field;
    private final Map<String, Integer> counts = new LinkedHashMap<>();

    TextReading(CsvColumns columns, CsvField.Text field, Path file, CsvLearned learned) {
      super(columns, file, learned);
      this.field = field;
      numbers.putIfAbsent(PADDING, 0);
      numbers.putIfAbsent(Vocabulary.UNKNOWN, 1);
    }

    @Override
    CsvField field() {
      return field;
    }

    @Override
    void add(String text, long line) {
      int count = 0;
      if (!isMissing(text, line, field.name())) {
        for (String word : text.strip().split("\\s+")) {
          if (count < field.words() && !word.isEmpty()) {
            values.add(number(word, 1));
            counts.merge(word, 1, Integer::sum);
            count++;
          }
        }
      }
      for (; count < field.words(); count++) {
        values.add(0);
      }
    }

    @Override
    HostDataset.Column finish() {
      int[] all = values.ints();
      if (learned == null) {
        counts.remove(PADDING);
        counts.remove(Vocabulary.UNKNOWN);
        var words = new ArrayList<>(counts.keySet());
        words.sort(Comparator.comparing(word -> -counts.get(word)));
        words.addAll(0, List.of(PADDING, Vocabulary.UNKNOWN));
        List<String> kept = words.subList(0, Math.min(words.size(), field.mostWords()));
        renumber(all, numbers, kept, 1);
        learned = CsvLearned.of(kept);
      }
      return ints(all, all.length / field.words(), field.words());
    }
  }

  /** Replaces numbers by order of appearance by positions in a list. */
  private static void renumber(
      int[] all, Map<String, Integer> before, List<String> texts, int unknown) {
    Map<String, Integer> after = CsvLearned.of(texts).numbers();
    int[] changed = new int[before.size()];
    before.forEach((text, number) -> changed[number] = after.getOrDefault(text, unknown));
    for (int k = 0; k < all.length; k++) {
      all[k] = changed[all[k]];
    }
  }
}
