package ristretto.kernels.text;

import java.util.Locale;

/** Escapes characters of messages that a terminal would interpret or hide, in Java's notation. */
public final class Escape {
  private Escape() {}

  /** Returns the character, or its escape if it is not visible. */
  public static String of(int c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default ->
          isHidden(c)
              ? String.format(Locale.ROOT, c < 0x10000 ? "\\u%04x" : "\\u{%x}", c)
              : Character.toString(c);
    };
  }

  /**
   * Escapes all invisible characters except line ends and tabs, which multi-line messages contain.
   */
  public static String lines(String text) {
    if (text == null || text.codePoints().noneMatch(Escape::isHiddenInLine)) {
      return text;
    }
    var shown = new StringBuilder(text.length());
    text.codePoints()
        .forEach(c -> {
          if (isHiddenInLine(c)) {
            shown.append(of(c));
          } else {
            shown.appendCodePoint(c);
          }
        });
    return shown.toString();
  }

  private static boolean isHiddenInLine(int c) {
    return c != '\n' && c != '\t' && isHidden(c);
  }

  private static boolean isHidden(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.UNASSIGNED ->
          true;
      default -> false;
    };
  }
}
