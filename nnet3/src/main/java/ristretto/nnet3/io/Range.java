package ristretto.nnet3.io;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;
import ristretto.kernels.FileFormatException;

/**
 * A part of a matrix or vector, as scripts name it in brackets after a file: {@code [0:9]}, {@code
 * [0:9,1:3]} or {@code [:,1:3]}, both ends included.
 *
 * @param rows of a matrix, elements of a vector
 * @param cols of a matrix, or null
 * @param text as it was written
 */
public record Range(Span rows, Span cols, String text) {
  /** Times are rounded where segments are made: so many rows may be missing at the end. */
  private static final int TOLERANCE = 3;

  private static final Pattern FORM =
      Pattern.compile("(:|(\\d{1,9}):(\\d{1,9}))(,(:|(\\d{1,9}):(\\d{1,9})))?");

  /**
   * From a first to a last row or column, or all where the last is -1.
   *
   * @param first counted from 0
   * @param last is included
   */
  public record Span(int first, int last) {
    /** All of them. */
    static final Span ALL = new Span(0, -1);

    private static Span of(String first, String last) {
      return first == null ? ALL : new Span(Integer.parseInt(first), Integer.parseInt(last));
    }
  }

  /** What stands between the brackets. */
  static Range of(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new FileFormatException(
          "[table] a range must be written first:last, or : for all, for rows and columns with a comma between; got [%s]; write such as [0:9] or [:,1:3]."
              .formatted(text));
    }
    return new Range(
        Span.of(form.group(2), form.group(3)),
        form.group(4) == null ? null : Span.of(form.group(6), form.group(7)),
        text);
  }

  /** The rows of a matrix, cut at its end. */
  Span rowsOf(int count, String what) {
    return cut(rows, count, TOLERANCE, what);
  }

  /** The columns of a matrix. */
  Span colsOf(int count, String what) {
    return cols == null ? cut(Span.ALL, count, 0, what) : cut(cols, count, 0, what);
  }

  private Span cut(Span span, int count, int tolerance, String what) {
    if (span.last < 0) {
      return new Span(0, count - 1);
    }
    if (span.first > span.last || span.first >= count || span.last >= count + tolerance) {
      throw new FileFormatException(
          "[table] a range must be inside of what it is taken from; got [%s] of %s; make the script again."
              .formatted(text, what));
    }
    if (span.last >= count) {
      LoggerFactory.getLogger(Range.class).warn("the range [{}] ends after {}", text, what);
    }
    return new Span(span.first, Math.min(span.last, count - 1));
  }
}
