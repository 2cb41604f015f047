package ristretto.nnet3.io;

import java.util.Arrays;
import java.util.Locale;
import ristretto.expr.file.Excerpt;

/** Scanner of words, lines and numbers in text; skips white space before words and numbers. */
final class TextScanner {
  /** Maximum number of bytes of a word or line; an intact file has no longer ones. */
  private static final int LONGEST = 1 << 24;

  private final ByteSource source;
  private byte[] word = new byte[64];
  private int size;

  TextScanner(ByteSource source) {
    this.source = source;
  }

  static boolean isSpace(int c) {
    return c == ' ' || c >= '\t' && c <= '\r';
  }

  /** Removes white space from both ends; only ASCII characters are white space to Kaldi. */
  static String strip(String text) {
    int from = 0;
    int to = text.length();
    while (from < to && isSpace(text.charAt(from))) {
      from++;
    }
    while (to > from && isSpace(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  void skipSpace() {
    while (isSpace(source.peek())) {
      source.read();
    }
  }

  /** Skips white space within a line. */
  void skipBlanks() {
    while (source.peek() != '\n' && isSpace(source.peek())) {
      source.read();
    }
  }

  /** Reads a word, up to the next white space; empty at the end of the file. */
  String word() {
    skipSpace();
    long at = source.offset();
    size = 0;
    while (source.peek() >= 0 && !isSpace(source.peek())) {
      append(at, "word");
    }
    return text();
  }

  /** Reads the rest of the line and takes the line end; null at the end of the file. */
  String line() {
    if (source.peek() < 0) {
      return null;
    }
    long at = source.offset();
    size = 0;
    while (source.peek() >= 0 && source.peek() != '\n') {
      append(at, "line");
    }
    source.read();
    return text();
  }

  int integer(String what) {
    skipSpace();
    long at = source.offset();
    size = 0;
    if (source.peek() == '-' || source.peek() == '+') {
      append(at, what);
    }
    while (source.peek() >= '0' && source.peek() <= '9') {
      append(at, what);
    }
    String digits = text();
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      throw source.malformed(
          at, what + " must be an integer of 32 bits", digits.isEmpty() ? next() : quoted(digits));
    }
  }

  /**
   * Reads a number of single precision, or {@code inf}, {@code infinity} or {@code nan} in any
   * case.
   */
  float real(String what) {
    skipSpace();
    long at = source.offset();
    String digits = number(at, what);
    float value;
    try {
      value = isName(digits) ? (float) named(digits) : Float.parseFloat(digits);
    } catch (NumberFormatException e) {
      throw noNumber(at, what, digits);
    }
    if (Float.isInfinite(value) && !isName(digits)) {
      throw source.malformed(at, what + " must be within the range of floats", quoted(digits));
    }
    return value;
  }

  /**
   * Reads a number of double precision, or {@code inf}, {@code infinity} or {@code nan} in any
   * case.
   */
  double longReal(String what) {
    skipSpace();
    long at = source.offset();
    String digits = number(at, what);
    double value;
    try {
      value = isName(digits) ? named(digits) : Double.parseDouble(digits);
    } catch (NumberFormatException e) {
      throw noNumber(at, what, digits);
    }
    if (Double.isInfinite(value) && !isName(digits)) {
      throw source.malformed(at, what + " must be within the range of doubles", quoted(digits));
    }
    return value;
  }

  /** Describes the next byte, or the end, for messages. */
  String next() {
    int c = source.peek();
    if (c < 0) {
      return "the end";
    }
    return c > ' ' && c < 0x7f ? "'" + (char) c + "'" : "byte " + c;
  }

  /** Quotes text of a file, escaped and cut at 80 characters. */
  static String quoted(String text) {
    return '"' + Excerpt.of(text) + '"';
  }

  /** Quotes text that a user wrote, escaped but not cut. */
  static String whole(String text) {
    return '"' + Excerpt.whole(text) + '"';
  }

  private RuntimeException noNumber(long at, String what, String digits) {
    return source.malformed(
        at, what + " must be a number", digits.isEmpty() ? next() : quoted(digits));
  }

  /** Reads characters that numbers can have; the caller parses them. */
  private String number(long at, String what) {
    size = 0;
    for (int c = source.peek();
        c == '-' || c == '+' || c == '.' || Character.isLetterOrDigit(c) && c < 0x80;
        c = source.peek()) {
      append(at, what);
    }
    return text();
  }

  private static boolean isName(String digits) {
    int sign = digits.startsWith("-") || digits.startsWith("+") ? 1 : 0;
    return digits.length() > sign && Character.isLetter(digits.charAt(sign));
  }

  private static double named(String digits) {
    boolean negative = digits.startsWith("-");
    double value =
        switch (digits.toLowerCase(Locale.ROOT)) {
          case "inf", "infinity", "+inf", "+infinity", "-inf", "-infinity" ->
              Double.POSITIVE_INFINITY;
          case "nan", "+nan", "-nan" -> Double.NaN;
          default -> throw new NumberFormatException(digits);
        };
    return negative ? -value : value;
  }

  private void append(long at, String what) {
    if (size == LONGEST) {
      throw source.malformed(
          at,
          String.format(Locale.ROOT, "a %s must have at most %d bytes", what, LONGEST),
          "a longer one");
    }
    if (size == word.length) {
      word = Arrays.copyOf(word, 2 * size);
    }
    word[size++] = (byte) source.read();
  }

  private String text() {
    return ByteText.decode(word, size);
  }
}
