package ristretto.symbolic.data;

import java.nio.file.Path;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import ristretto.kernels.ShapeException;

/**
 * Fields that are read from the columns of CSV files: numbers, whole numbers, categories, words of
 * texts, dates. What is learned from the first file (means, categories, words) holds for the
 * others:
 *
 * <pre>{@code
 * var columns = new CsvColumns()
 *     .numbers("features", "age", "income")      // F32 [2]
 *     .category("city")                          // I32
 *     .number("price")                           // F32, a regression target
 *     .missing(Missing.MEAN)
 *     .standardized();
 * CsvData train = columns.read(Path.of("train.csv"));
 * CsvData test = train.like(Path.of("test.csv"));
 * }</pre>
 *
 * <p>A file is UTF-8 text as RFC 4180 has it, with the names of the columns in its first line.
 * Columns that no field names are ignored.
 */
public final class CsvColumns {
  private static final DateTimeFormatter ISO =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .optionalStart()
          .appendPattern("['T'][' ']")
          .append(DateTimeFormatter.ISO_LOCAL_TIME)
          .optionalStart()
          .appendOffsetId()
          .toFormatter(Locale.ROOT);

  private final List<CsvField> fields;
  private final Missing missing;
  private final Set<String> missingTexts;
  private final boolean standardized;
  private final char separator;

  /** Creates a description without fields, for commas, that refuses missing values. */
  public CsvColumns() {
    this(List.of(), Missing.REFUSE, Set.of("", "NA", "NaN", "nan", "null"), false, ',');
  }

  private CsvColumns(
      List<CsvField> fields,
      Missing missing,
      Set<String> missingTexts,
      boolean standardized,
      char separator) {
    this.fields = List.copyOf(fields);
    this.missing = missing;
    this.missingTexts = missingTexts;
    this.standardized = standardized;
    this.separator = separator;
  }

  private CsvColumns with(CsvField more) {
    for (CsvField f : fields) {
      if (f.name().equals(more.name())) {
        throw new ShapeException(
            "[csv] fields must have unique names; got two named " + more.name() + ".");
      }
    }
    var all = new ArrayList<>(fields);
    all.add(more);
    return new CsvColumns(all, missing, missingTexts, standardized, separator);
  }

  /** Adds a field of numbers, F32 {@code [columns]}. */
  public CsvColumns numbers(String field, String... columns) {
    if (columns.length == 0) {
      throw new ShapeException("[csv] a field must have a column; got none for " + field + ".");
    }
    return with(new CsvField.Numbers(field, List.of(columns), null, true));
  }

  /** Adds a number, F32, named after its column, for example the target of a regression. */
  public CsvColumns number(String column) {
    return with(new CsvField.Numbers(column, List.of(column), null, false));
  }

  /** Adds a whole number, I32, named after its column, for example a class. */
  public CsvColumns integer(String column) {
    return with(new CsvField.Whole(column));
  }

  /**
   * Adds a category, I32, named after its column: the number of its text among all texts of the
   * column in alphabetical order. If missing values are kept, number 0 is {@code <unk>}, for
   * missing and for unknown texts.
   */
  public CsvColumns category(String column) {
    return with(new CsvField.Category(column));
  }

  /**
   * Adds the words of a text, I32 {@code [words]}, named after its column. Words are separated by
   * spaces and numbered by descending frequency, from 2 on; 0 is the padding behind shorter texts,
   * and 1 is {@code <unk>}, for words that the first file lacks. Longer texts are cut.
   *
   * @param mostWords maximal size of the vocabulary, with the two special words; rarer words are
   *     unknown
   */
  public CsvColumns text(String column, int words, int mostWords) {
    if (words < 1 || mostWords < 2) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[csv] a text must have at least 1 word, of at least 2; got %d words of %d for %s.",
              words,
              mostWords,
              column));
    }
    return with(new CsvField.Text(column, words, mostWords));
  }

  /**
   * Adds a date, F32, named after its column: days since 1970-01-01, with times of day as fractions
   * (of UTC, if the text has an offset). Dates are in ISO format: {@code 2024-02-29}, {@code
   * 2024-02-29T12:30}, {@code 2024-02-29 12:30:00+01:00}.
   */
  public CsvColumns date(String column) {
    return with(new CsvField.Numbers(column, List.of(column), ISO, false));
  }

  /**
   * Adds a date of another format: F32, days since 1970-01-01.
   *
   * @param pattern pattern of {@link DateTimeFormatter}, such as {@code dd.MM.uuuu}
   * @throws ShapeException if the pattern has an error
   */
  public CsvColumns date(String column, String pattern) {
    try {
      DateTimeFormatter format = DateTimeFormatter.ofPattern(pattern, Locale.ROOT);
      return with(new CsvField.Numbers(column, List.of(column), format, false));
    } catch (IllegalArgumentException e) {
      throw new ShapeException(
          "[csv] a date must have a pattern of DateTimeFormatter; got '%s' (%s)."
              .formatted(pattern, e.getMessage()));
    }
  }

  /**
   * Sets what happens to missing values, an error by default.
   *
   * @param texts texts of missing values; by default the empty text, NA, NaN, nan and null
   */
  public CsvColumns missing(Missing treatment, String... texts) {
    Set<String> all = texts.length == 0 ? missingTexts : Set.of(texts);
    return new CsvColumns(fields, treatment, all, standardized, separator);
  }

  /**
   * Standardizes the columns of {@link #numbers}: subtracts the mean of the column in the first
   * file and divides by its standard deviation, unless that is 0. Other fields keep their units.
   */
  public CsvColumns standardized() {
    return new CsvColumns(fields, missing, missingTexts, true, separator);
  }

  /** Sets the separator of values, for example a semicolon or a tab. */
  public CsvColumns separator(char separator) {
    if (separator == '"' || separator == '\n' || separator == '\r') {
      throw new ShapeException("[csv] the separator must not be a quote or a line end.");
    }
    return new CsvColumns(fields, missing, missingTexts, standardized, separator);
  }

  /**
   * Reads a file.
   *
   * @throws ristretto.kernels.FileFormatException if the file lacks a column, or a value does not
   *     have the type of its field
   */
  public CsvData read(Path file) {
    if (fields.isEmpty()) {
      throw new ShapeException("[csv] there must be a field; got none; name one with number(...).");
    }
    return CsvData.read(this, file, null);
  }

  List<CsvField> fields() {
    return fields;
  }

  Missing missing() {
    return missing;
  }

  boolean isMissing(String text) {
    return missingTexts.contains(text);
  }

  boolean isStandardized() {
    return standardized;
  }

  /** Returns the words of a field, or the means and deviations of a standardized one. */
  List<?> codes(CsvField field, CsvLearned learned) {
    return switch (field) {
      case CsvField.Numbers n ->
          standardized && n.vector()
              ? Stream.concat(learned.means().stream(), learned.deviations().stream()).toList()
              : List.of();
      case CsvField.Whole _ -> List.of();
      case CsvField.Category _, CsvField.Text _ -> learned.words();
    };
  }

  char separator() {
    return separator;
  }
}
