package ristretto.expr.table;

/**
 * Parser of decimal numbers in a buffer: an optional sign, digits with an optional point and an
 * optional exponent, or inf and infinity. Fields hold the result of the last call.
 */
final class NumberText {
  /** Largest number of digits that surely fits a long. */
  private static final int SAFE_DIGITS = 18;

  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };

  private static final int LARGEST_EXPONENT = 9999;

  private final char point;

  /** Value of a whole number. */
  long whole;

  /** Value of any number. */
  double number;

  NumberText(char point) {
    this.point = point;
  }

  /** Parses a whole number that fits 64 bits. */
  boolean isWhole(char[] text, int at, int length) {
    int from = at;
    int end = at + length;
    boolean negative = length > 0 && text[at] == '-';
    if (length > 0 && (negative || text[at] == '+')) {
      from++;
    }
    if (from == end) {
      return false;
    }
    long value = 0;
    boolean safe = end - from <= SAFE_DIGITS;
    for (int k = from; k < end; k++) {
      int digit = text[k] - '0';
      if (digit < 0 || digit > 9) {
        return false;
      }
      value = 10 * value - digit;
    }
    if (!safe) {
      try {
        whole = Long.parseLong(new String(text, at, length));
        return true;
      } catch (NumberFormatException _) {
        return false;
      }
    }
    whole = negative ? value : -value;
    return true;
  }

  /** Parses a number, with the value that {@link Double#parseDouble} gives. */
  boolean isNumber(char[] text, int at, int length) {
    int k = at;
    int end = at + length;
    boolean negative = length > 0 && text[at] == '-';
    if (length > 0 && (negative || text[at] == '+')) {
      k++;
    }
    long mantissa = 0;
    int digits = 0;
    int scale = 0;
    int seen = 0;
    boolean fraction = false;
    for (; k < end; k++) {
      char c = text[k];
      if (c >= '0' && c <= '9') {
        seen++;
        if (mantissa != 0 || c != '0') {
          digits++;
        }
        if (digits <= SAFE_DIGITS) {
          mantissa = 10 * mantissa + (c - '0');
        }
        scale -= fraction ? 1 : 0;
      } else if (c == point && !fraction) {
        fraction = true;
      } else {
        break;
      }
    }
    if (seen == 0) {
      return isInfinite(text, k, end - k, negative, fraction);
    }
    if (k < end) {
      if (text[k] != 'e' && text[k] != 'E') {
        return false;
      }
      int exponent = exponent(text, k + 1, end);
      if (exponent == Integer.MIN_VALUE) {
        return false;
      }
      scale += exponent;
    }
    // Both factors are exact, so the one rounding is that of the result.
    if (digits <= SAFE_DIGITS && mantissa <= 1L << 53 && scale >= -22 && scale <= 22) {
      double v = scale < 0 ? mantissa / POWERS[-scale] : mantissa * POWERS[scale];
      number = negative ? -v : v;
      return true;
    }
    String all = new String(text, at, length);
    number = Double.parseDouble(point == '.' ? all : all.replace(point, '.'));
    return true;
  }

  /** Exponent, or the least integer if there is none. */
  private static int exponent(char[] text, int at, int end) {
    int k = at;
    boolean negative = k < end && text[k] == '-';
    if (k < end && (negative || text[k] == '+')) {
      k++;
    }
    if (k == end) {
      return Integer.MIN_VALUE;
    }
    int value = 0;
    for (; k < end; k++) {
      int digit = text[k] - '0';
      if (digit < 0 || digit > 9) {
        return Integer.MIN_VALUE;
      }
      value = Math.min(LARGEST_EXPONENT, 10 * value + digit);
    }
    return negative ? -value : value;
  }

  private boolean isInfinite(char[] text, int at, int length, boolean negative, boolean fraction) {
    if (fraction || !isWord(text, at, length, "inf") && !isWord(text, at, length, "infinity")) {
      return false;
    }
    number = negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    return true;
  }

  /** Returns true for a word of ASCII letters in any case. */
  static boolean isWord(char[] text, int at, int length, String word) {
    if (length != word.length()) {
      return false;
    }
    for (int k = 0; k < length; k++) {
      char c = text[at + k];
      if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != word.charAt(k)) {
        return false;
      }
    }
    return true;
  }
}
