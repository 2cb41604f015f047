package ristretto.expr.file;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import ristretto.kernels.FileFormatException;

/**
 * Streaming reader for JSON of known structure: objects, strings and arrays of non-negative
 * integers.
 */
final class JsonCursor {
  private final FileBytes file;
  private long at;

  JsonCursor(FileBytes file) {
    this.file = file;
  }

  /** Callback for each member of an object; reads the value. The key begins at byte {@code at}. */
  @FunctionalInterface
  interface Member {
    void read(String key, long at);
  }

  void object(Member member) {
    skipSpaces();
    expect('{', "an object");
    skipSpaces();
    if (accept('}')) {
      return;
    }
    do {
      skipSpaces();
      long keyAt = at;
      String key = string();
      skipSpaces();
      expect(':', "':' after a name");
      member.read(key, keyAt);
      skipSpaces();
    } while (accept(','));
    expect('}', "',' or '}' after a value");
  }

  /** Reads an array of at most {@code most} numbers. */
  long[] numbers(int most) {
    skipSpaces();
    expect('[', "an array of numbers");
    long[] numbers = new long[most];
    int n = 0;
    skipSpaces();
    if (accept(']')) {
      return new long[0];
    }
    do {
      skipSpaces();
      if (n == most) {
        throw malformed(
            at,
            String.format(Locale.ROOT, "an array must have at most %d numbers here", most),
            "more");
      }
      numbers[n++] = number();
      skipSpaces();
    } while (accept(','));
    expect(']', "',' or ']' after a number");
    return Arrays.copyOf(numbers, n);
  }

  private long number() {
    long from = at;
    while (at < file.size() && peek() >= '0' && peek() <= '9') {
      at++;
    }
    String digits =
        new String(file.array(from, Math.min(at - from, 20), "number"), StandardCharsets.US_ASCII);
    if (digits.isEmpty() || digits.length() > 1 && digits.charAt(0) == '0') {
      throw malformed(from, "a number from 0 up must be here", digits.isEmpty() ? found() : digits);
    }
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw malformed(from, "a number must be below 2^63", digits);
    }
  }

  String string() {
    skipSpaces();
    long from = at;
    expect('"', "a string");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (!accept('"')) {
      int b = file.u8(at, "string");
      if (b < ' ') {
        throw malformed(at, "a string must have its control characters escaped", found());
      }
      at++;
      if (b == '\\') {
        bytes.writeBytes(escape().getBytes(StandardCharsets.UTF_8));
      } else {
        bytes.write(b);
      }
    }
    try {
      ByteBuffer raw = ByteBuffer.wrap(bytes.toByteArray());
      return StandardCharsets.UTF_8.newDecoder().decode(raw).toString();
    } catch (CharacterCodingException e) {
      throw malformed(from, "a string must be UTF-8", "other bytes");
    }
  }

  private String escape() {
    int c = file.u8(at++, "escape");
    return switch (c) {
      case '"' -> "\"";
      case '\\' -> "\\";
      case '/' -> "/";
      case 'b' -> "\b";
      case 'f' -> "\f";
      case 'n' -> "\n";
      case 'r' -> "\r";
      case 't' -> "\t";
      case 'u' -> unicode();
      default -> throw malformed(at - 1, "an escape must be one of JSON's", "another");
    };
  }

  private String unicode() {
    long from = at;
    char first = hex();
    if (!Character.isSurrogate(first)) {
      return String.valueOf(first);
    }
    if (Character.isHighSurrogate(first) && accept('\\') && accept('u')) {
      char second = hex();
      if (Character.isLowSurrogate(second)) {
        return new String(new char[] {first, second});
      }
    }
    throw malformed(from, "surrogates must come in pairs", "one alone");
  }

  private char hex() {
    int value = 0;
    for (int k = 0; k < 4; k++, at++) {
      int digit = Character.digit(file.u8(at, "escape"), 16);
      if (digit < 0) {
        throw malformed(at, "\\u must have four hexadecimal digits", found());
      }
      value = value << 4 | digit;
    }
    return (char) value;
  }

  /** Checks that only spaces follow. */
  void end() {
    skipSpaces();
    if (at < file.size()) {
      throw malformed(at, "the header must end after its object", found());
    }
  }

  private void skipSpaces() {
    while (at < file.size() && " \t\r\n".indexOf(peek()) >= 0) {
      at++;
    }
  }

  private boolean accept(char c) {
    if (at < file.size() && peek() == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c, String what) {
    if (!accept(c)) {
      throw malformed(at, what + " must be here", found());
    }
  }

  private int peek() {
    return file.u8(at, "header");
  }

  private String found() {
    if (at >= file.size()) {
      return "the end of the header";
    }
    int b = peek();
    return b < ' ' || b > '~' ? String.format(Locale.ROOT, "byte %d", b) : "'" + (char) b + "'";
  }

  FileFormatException malformed(long where, String rule, String got) {
    return file.malformed(where, rule, got);
  }
}
