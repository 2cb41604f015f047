package ristretto.expr.file;

import ristretto.kernels.text.Escape;

/**
 * Untrusted text from files or users, made safe for messages: control and invisible characters are
 * escaped as in Java; {@link #of} truncates long text.
 */
public final class Excerpt {
  /** Maximal length of an excerpt in characters, including the ellipsis. */
  private static final int MOST = 80;

  /** Maximal length of {@link #whole} in characters, above the length of file names. */
  private static final int MOST_OF_WHOLE = 1000;

  private static final String CUT = "...";

  private Excerpt() {}

  /** Escapes special characters and truncates the text to 80 characters. */
  public static String of(String text) {
    String shown = whole(text.length() <= MOST ? text : text.substring(0, MOST));
    if (text.length() <= MOST && shown.length() <= MOST) {
      return shown;
    }
    var start = new StringBuilder();
    for (int at = 0; at < text.length(); ) {
      int c = text.codePointAt(at);
      String next = Escape.of(c);
      if (start.length() + next.length() > MOST - CUT.length()) {
        break;
      }
      start.append(next);
      at += Character.charCount(c);
    }
    return start + CUT;
  }

  /** Escapes control characters except tabs and line ends. */
  public static String lines(String text) {
    return Escape.lines(text);
  }

  /** Escapes special characters and truncates the text to 1000 characters, for names of files. */
  public static String whole(String text) {
    if (text.length() > MOST_OF_WHOLE) {
      return whole(text.substring(0, MOST_OF_WHOLE - CUT.length())) + CUT;
    }
    var shown = new StringBuilder(text.length());
    text.codePoints().forEach(c -> shown.append(Escape.of(c)));
    return shown.toString();
  }
}
