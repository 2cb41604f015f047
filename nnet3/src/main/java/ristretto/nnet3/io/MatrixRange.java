package ristretto.nnet3.io;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;
import ristretto.kernels.FileFormatException;

/**
 * Range of a matrix or vector, which scripts write in brackets after a file: {@code [0:9]}, {@code
 * [0:9,1:3]} or {@code [:,1:3]}, both ends inclusive.
 *
 * @param rows rows of a matrix, or elements of a vector
 * @param cols columns of a matrix, or null
 * @param text the range as written
 */
public record MatrixRange(Span rows, Span cols, String text) {
  /** Number of rows by which a range may exceed a matrix, because segments have rounded times. */
  private static final int TOLERANCE = 3;

  private static final Pattern FORM =
      Pattern.compile("(:|(\\d{1,9}):(\\d{1,9}))(,(:|(\\d{1,9}):(\\d{1,9})))?");

  /**
   * Rows or columns from {@code first} to {@code last}, or all if {@code last} is -1.
   *
   * @param first first index, counted from 0
   * @param last last index, inclusive
   */
  public record Span(int first, int last) {
    /** All rows or columns. */
    static final Span ALL = new Span(0, -1);

    private static Span of(String first, String last) {
      return first == null ? ALL : new Span(Integer.parseInt(first), Integer.parseInt(last));
    }
  }

  /** Parses the text between the brackets. */
  static MatrixRange of(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new FileFormatException(
          "[table] a range must be first:last, or : for all, with a comma between those of rows and columns; got [%s]; write, for example, [0:9] or [:,1:3]."
              .formatted(text));
    }
    return new MatrixRange(
        Span.of(form.group(2), form.group(3)),
        form.group(4) == null ? null : Span.of(form.group(6), form.group(7)),
        text);
  }

  /** Returns the range of {@code count} rows or elements, clipped at the end. */
  Span rowsOf(int count, String what) {
    return cut(rows, count, TOLERANCE, what);
  }

  /** Returns the range of {@code count} columns. */
  Span colsOf(int count, String what) {
    return cols == null ? cut(Span.ALL, count, 0, what) : cut(cols, count, 0, what);
  }

  private Span cut(Span span, int count, int tolerance, String what) {
    if (span.last < 0) {
      return new Span(0, count - 1);
    }
    if (span.first > span.last || span.first >= count || span.last >= count + tolerance) {
      throw new FileFormatException(
          "[table] a range must lie within its matrix or vector; got [%s] of %s; write the script again."
              .formatted(text, what));
    }
    if (span.last >= count) {
      LoggerFactory.getLogger(MatrixRange.class).warn("the range [{}] ends after {}", text, what);
    }
    return new Span(span.first, Math.min(span.last, count - 1));
  }
}
