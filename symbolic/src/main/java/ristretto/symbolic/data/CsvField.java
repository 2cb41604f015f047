package ristretto.symbolic.data;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.List;

/** Field that is read from columns of a CSV file. */
sealed interface CsvField {
  /** Returns the name of the field. */
  String name();

  /** Returns the columns that the field is read from. */
  List<String> columns();

  /**
   * Numbers, or dates as numbers of days.
   *
   * @param dates format of dates, or null for numbers
   * @param vector true if the field has an axis of columns
   */
  record Numbers(String name, List<String> columns, DateTimeFormatter dates, boolean vector)
      implements CsvField {
    private static final double SECONDS_PER_DAY = 86_400;

    /** Returns the rule for messages. */
    String rule() {
      return dates == null
          ? "values must be numbers"
          : "dates must have their format, and be in the calendar";
    }

    /**
     * Returns the value of a text.
     *
     * @throws NumberFormatException if the text is no number
     * @throws DateTimeException if the text is no date
     */
    float parse(String text) {
      return dates == null ? Float.parseFloat(text) : (float) days(text);
    }

    private double days(String text) {
      TemporalAccessor date =
          dates.parseBest(text, OffsetDateTime::from, LocalDateTime::from, LocalDate::from);
      return switch (date) {
        case OffsetDateTime d -> daysOf(d.withOffsetSameInstant(ZoneOffset.UTC).toLocalDateTime());
        case LocalDateTime d -> daysOf(d);
        case LocalDate d -> d.toEpochDay();
        default -> throw new DateTimeException("no date");
      };
    }

    /** Returns the days of a date with a time. */
    private static double daysOf(LocalDateTime d) {
      return d.toLocalDate().toEpochDay() + d.toLocalTime().toSecondOfDay() / SECONDS_PER_DAY;
    }
  }

  /** Whole number. */
  record Whole(String name) implements CsvField {
    @Override
    public List<String> columns() {
      return List.of(name);
    }
  }

  /** Number of a text among all texts of the column. */
  record Category(String name) implements CsvField {
    @Override
    public List<String> columns() {
      return List.of(name);
    }
  }

  /** Numbers of the words of a text. */
  record Text(String name, int words, int mostWords) implements CsvField {
    @Override
    public List<String> columns() {
      return List.of(name);
    }
  }
}
