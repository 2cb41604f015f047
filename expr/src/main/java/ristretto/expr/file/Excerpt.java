package ristretto.expr.file;

import java.util.Locale;

/**
 * Text from a file or a user as messages show it: characters that a terminal would obey or hide are
 * escaped as in Java, and {@link #of} cuts long text.
 */
public final class Excerpt {
  /** Characters of an excerpt, with the dots that tell of a cut. */
  private static final int MOST = 80;

  private static final String CUT = "...";

  private Excerpt() {}

  /** Escapes the text's special characters and cuts it at 80 characters. */
  public static String of(String text) {
    String shown = whole(text.length() <= MOST ? text : text.substring(0, MOST));
    if (text.length() <= MOST && shown.length() <= MOST) {
      return shown;
    }
    var start = new StringBuilder();
    for (int at = 0; at < text.length(); ) {
      int c = text.codePointAt(at);
      String next = escaped(c);
      if (start.length() + next.length() > MOST - CUT.length()) {
        break;
      }
      start.append(next);
      at += Character.charCount(c);
    }
    return start + CUT;
  }

  /** Escapes the text's special characters, and cuts nothing: for names of files. */
  public static String whole(String text) {
    var shown = new StringBuilder(text.length());
    text.codePoints().forEach(c -> shown.append(escaped(c)));
    return shown.toString();
  }

  private static String escaped(int c) {
    return switch (c) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default ->
          switch (Character.getType(c)) {
            case Character.CONTROL,
                Character.FORMAT,
                Character.SURROGATE,
                Character.LINE_SEPARATOR,
                Character.PARAGRAPH_SEPARATOR,
                Character.UNASSIGNED ->
                String.format(Locale.ROOT, c < 0x10000 ? "\\u%04x" : "\\u{%x}", c);
            default -> Character.toString(c);
          };
    };
  }
}
