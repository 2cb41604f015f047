package ristretto.expr.file;

import ristretto.kernels.debug.Escape;

/**
 * Text from a file or a user as messages show it: characters that a terminal would obey or hide are
 * escaped as in Java, and {@link #of} cuts long text.
 */
public final class Excerpt {
  /** Characters of an excerpt, with the dots that tell of a cut. */
  private static final int MOST = 80;

  /** Characters of a whole text: more than names of files have. */
  private static final int MOST_OF_WHOLE = 1000;

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
      String next = Escape.of(c);
      if (start.length() + next.length() > MOST - CUT.length()) {
        break;
      }
      start.append(next);
      at += Character.charCount(c);
    }
    return start + CUT;
  }

  /** Escapes what a terminal would obey, but for tabs and the ends of lines. */
  public static String lines(String text) {
    return Escape.lines(text);
  }

  /** Escapes the text's special characters, and cuts it at 1000: for names of files. */
  public static String whole(String text) {
    if (text.length() > MOST_OF_WHOLE) {
      return whole(text.substring(0, MOST_OF_WHOLE - CUT.length())) + CUT;
    }
    var shown = new StringBuilder(text.length());
    text.codePoints().forEach(c -> shown.append(Escape.of(c)));
    return shown.toString();
  }
}
