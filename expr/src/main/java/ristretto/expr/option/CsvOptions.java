package ristretto.expr.option;

import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import ristretto.kernels.ShapeException;

/**
 * Options for reading CSV files; each method returns a copy with one option changed:
 *
 * <pre>{@code
 * var german = new CsvOptions().separator(';').decimalComma().columns("Datum", "Preis");
 * Table t = ctx.readCsv(Path.of("preise.csv"), german.date("Datum", "dd.MM.uuuu"));
 * }</pre>
 *
 * @param separator character between values, a comma by default
 * @param quote character around values that contain separators or line ends, {@code "} by default
 * @param header true if the first line names the columns
 * @param names names of the columns of a file without a header; empty for the numbers 0, 1, ...
 * @param columns columns to read, in this order; empty for all
 * @param texts columns to read as text, even if all values are numbers
 * @param dates columns to read as dates, with their {@link DateTimeFormatter} patterns
 * @param missing texts of missing values
 * @param point decimal separator of numbers: a point by default, or a comma
 */
public record CsvOptions(
    char separator,
    char quote,
    boolean header,
    List<String> names,
    List<String> columns,
    Set<String> texts,
    Map<String, String> dates,
    Set<String> missing,
    char point) {
  private static final Set<String> MISSING = Set.of("", "NA", "N/A", "NaN", "nan", "null");

  /**
   * Validates the options.
   *
   * @throws ShapeException if two of separator, quote and line end are equal, a pattern has an
   *     error, or decimal commas would be separators
   */
  public CsvOptions {
    names = List.copyOf(names);
    columns = List.copyOf(columns);
    texts = Set.copyOf(texts);
    dates = Map.copyOf(dates);
    missing = Set.copyOf(missing);
    if (separator == quote || isLineEnd(separator) || isLineEnd(quote)) {
      throw new ShapeException(
          "[csv] separator and quote must be different characters, and no line ends; got '%s' and '%s'."
              .formatted(shown(separator), shown(quote)));
    }
    if (point != '.' && point != ',') {
      throw new ShapeException(
          "[csv] the decimal separator must be a point or a comma; got '%s'."
              .formatted(shown(point)));
    }
    if (point == separator) {
      throw new ShapeException(
          ("[csv] separators of values and of decimals must differ; got '%s' for both; set another"
                  + " one first: new CsvOptions().separator(';').decimalComma().")
              .formatted(shown(point)));
    }
    dates.forEach((_, pattern) -> {
      try {
        Objects.requireNonNull(DateTimeFormatter.ofPattern(pattern, Locale.ROOT));
      } catch (IllegalArgumentException e) {
        throw new ShapeException(
            "[csv] a date must have a pattern of DateTimeFormatter; got '%s' (%s)."
                .formatted(pattern, e.getMessage()));
      }
    });
  }

  /** Creates the default options: commas, double quotes, a header, all columns, types found. */
  public CsvOptions() {
    this(',', '"', true, List.of(), List.of(), Set.of(), Map.of(), MISSING, '.');
  }

  private static boolean isLineEnd(char c) {
    return c == '\n' || c == '\r';
  }

  private static String shown(char c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      default -> String.valueOf(c);
    };
  }

  /** Sets the character between values, for example a semicolon or a tab. */
  public CsvOptions separator(char separator) {
    return new CsvOptions(separator, quote, header, names, columns, texts, dates, missing, point);
  }

  /** Sets the character around values that contain separators or line ends. */
  public CsvOptions quote(char quote) {
    return new CsvOptions(separator, quote, header, names, columns, texts, dates, missing, point);
  }

  /** Reads the first line as values; columns are named 0, 1, ... */
  public CsvOptions withoutHeader() {
    return new CsvOptions(
        separator, quote, false, List.of(), columns, texts, dates, missing, point);
  }

  /** Names the columns of a file without a header. */
  public CsvOptions names(String... names) {
    return new CsvOptions(
        separator, quote, false, List.of(names), columns, texts, dates, missing, point);
  }

  /** Reads some columns only, in this order. */
  public CsvOptions columns(String... columns) {
    return new CsvOptions(
        separator, quote, header, names, List.of(columns), texts, dates, missing, point);
  }

  /** Reads columns as text, for example postal codes with leading zeros. */
  public CsvOptions text(String... columns) {
    return new CsvOptions(
        separator, quote, header, names, this.columns, Set.of(columns), dates, missing, point);
  }

  /**
   * Reads a column as dates of another format: days since 1970-01-01, or milliseconds if the
   * pattern has hours. Dates in ISO format are found without this option.
   *
   * @param pattern pattern of {@link DateTimeFormatter} with English names, such as {@code
   *     dd.MM.uuuu}
   */
  public CsvOptions date(String column, String pattern) {
    var all = new LinkedHashMap<>(dates);
    all.put(column, pattern);
    return new CsvOptions(separator, quote, header, names, columns, texts, all, missing, point);
  }

  /** Sets the texts of missing values; by default the empty text, NA, N/A, NaN, nan and null. */
  public CsvOptions missing(String... texts) {
    return new CsvOptions(
        separator, quote, header, names, columns, this.texts, dates, Set.of(texts), point);
  }

  /** Reads numbers with a comma instead of a point. */
  public CsvOptions decimalComma() {
    return new CsvOptions(separator, quote, header, names, columns, texts, dates, missing, ',');
  }
}
