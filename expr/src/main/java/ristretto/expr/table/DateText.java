package ristretto.expr.table;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;

/** Parser of dates and of dates with a time, in ISO format or by a pattern. */
final class DateText {
  static final long DAY = 86_400_000;

  /** Length of a date such as 2024-02-29. */
  private static final int DATE = 10;

  /** Length of the longest time: 2024-02-29T12:30:00.123456789+01:00:00. */
  private static final int LONGEST = 38;

  private static final DateTimeFormatter ISO =
      new DateTimeFormatterBuilder()
          .append(DateTimeFormatter.ISO_LOCAL_DATE)
          .appendLiteral('T')
          .append(DateTimeFormatter.ISO_LOCAL_TIME)
          .optionalStart()
          .appendOffsetId()
          .optionalEnd()
          .toFormatter(Locale.ROOT);

  private final DateTimeFormatter format;
  private final boolean withTime;

  /** Days of a date since 1970-01-01, or milliseconds of a date with a time, in UTC. */
  long value;

  private DateText(DateTimeFormatter format, boolean withTime) {
    this.format = format;
    this.withTime = withTime;
  }

  static DateText iso() {
    return new DateText(null, false);
  }

  static DateText of(String pattern) {
    DateTimeFormatter format = DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
    return new DateText(format, pattern.matches(".*[HhKkaAnN].*"));
  }

  /** Parses a date without a time. */
  boolean isDate(char[] text, int at, int length) {
    if (format != null) {
      return !withTime && parsed(format, new String(text, at, length), false);
    }
    if (length != DATE || text[at + 4] != '-' || text[at + 7] != '-') {
      return false;
    }
    int year = digits(text, at, 4);
    int month = digits(text, at + 5, 2);
    int day = digits(text, at + 8, 2);
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31) {
      return false;
    }
    try {
      value = LocalDate.of(year, month, day).toEpochDay();
      return true;
    } catch (DateTimeException _) {
      return false;
    }
  }

  /** Parses a date with a time. */
  boolean isTime(char[] text, int at, int length) {
    if (format != null) {
      return withTime && parsed(format, new String(text, at, length), true);
    }
    // A cheap check first, since most texts are no dates.
    if (length < DATE + 4
        || length > LONGEST
        || text[at + 4] != '-'
        || text[at + DATE] != 'T' && text[at + DATE] != ' ') {
      return false;
    }
    char[] copy = new char[length];
    System.arraycopy(text, at, copy, 0, length);
    copy[DATE] = 'T';
    return parsed(ISO, new String(copy), true);
  }

  private boolean parsed(DateTimeFormatter by, String text, boolean time) {
    try {
      TemporalAccessor date =
          time
              ? by.parseBest(text, OffsetDateTime::from, LocalDateTime::from)
              : by.parse(text, LocalDate::from);
      value =
          switch (date) {
            case OffsetDateTime d -> d.toInstant().toEpochMilli();
            case LocalDateTime d -> d.toInstant(ZoneOffset.UTC).toEpochMilli();
            default -> LocalDate.from(date).toEpochDay();
          };
      return true;
    } catch (DateTimeException | ArithmeticException _) {
      return false;
    }
  }

  private static int digits(char[] text, int at, int count) {
    int value = 0;
    for (int k = at; k < at + count; k++) {
      int digit = text[k] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = 10 * value + digit;
    }
    return value;
  }
}
