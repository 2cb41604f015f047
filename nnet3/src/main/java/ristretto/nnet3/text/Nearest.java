package ristretto.nnet3.text;

import java.util.Collection;
import java.util.Locale;

/** Suggests the allowed word that is nearest to an unknown word. */
public final class Nearest {
  /** Maximum length in characters of words that are compared. */
  private static final int LONGEST = 100;

  private Nearest() {}

  /**
   * Returns {@code "; did you mean 'X'?"} for the nearest of {@code allowed}, or an empty text if
   * none is near.
   */
  public static String hint(String word, Collection<String> allowed) {
    if (word.length() > LONGEST) {
      return "";
    }
    String nearest = null;
    double best = 1 + word.length() / 2;
    for (String candidate : allowed) {
      if (candidate.length() > LONGEST) {
        continue;
      }
      double far =
          !word.isEmpty() && candidate.startsWith(word)
              ? 0.5
              : distance(word.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
      if (far < best) {
        best = far;
        nearest = candidate;
      }
    }
    return nearest == null ? "" : "; did you mean '" + nearest + "'?";
  }

  /** Edit distance: number of letters to insert, remove, replace or swap with a neighbour. */
  private static int distance(String s, String t) {
    int[][] d = new int[s.length() + 1][t.length() + 1];
    for (int i = 0; i <= s.length(); i++) {
      for (int j = 0; j <= t.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int replaced = d[i - 1][j - 1] + (s.charAt(i - 1) == t.charAt(j - 1) ? 0 : 1);
        d[i][j] = Math.min(replaced, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && s.charAt(i - 1) == t.charAt(j - 2)
            && s.charAt(i - 2) == t.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[s.length()][t.length()];
  }
}
