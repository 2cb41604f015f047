package ristretto.nnet3.io;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import ristretto.kernels.FileFormatException;

/**
 * Common form of rspecifiers and wspecifiers: options, a colon, and files.
 *
 * @param options options in order
 * @param files text after the colon
 */
record Specifier(List<String> options, String files) {
  /**
   * Returns true if a name starts like that of a table, most likely a mistake where a file is
   * expected.
   */
  static boolean looksLikeOne(String name) {
    int colon = name.indexOf(':');
    if (colon < 0) {
      return false;
    }
    List<String> options = List.of(name.substring(0, colon).split("[, ]", -1));
    return options.contains("ark") || options.contains("scp");
  }

  static Specifier of(String text, Set<String> known, String wanted) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw refused("a table must be named by options, a colon and a file", text, wanted);
    }
    if (TextScanner.isSpace(text.charAt(text.length() - 1))) {
      throw refused("a table's name must not end with a space", text, wanted);
    }
    List<String> options = List.of(text.substring(0, colon).split("[, ]", -1));
    for (String option : options) {
      if (!known.contains(option)) {
        throw refused(
            "options must be among " + String.join(" ", known),
            TextScanner.whole(option) + " in " + TextScanner.whole(text),
            wanted);
      }
    }
    return new Specifier(options, text.substring(colon + 1));
  }

  /** Returns true if {@code option} is given and {@code opposite} is not given after it. */
  boolean has(String option, String opposite) {
    return options.lastIndexOf(option) > options.lastIndexOf(opposite);
  }

  int count(String option) {
    return (int) options.stream().filter(option::equals).count();
  }

  static Set<String> known(String... options) {
    return new LinkedHashSet<>(List.of(options));
  }

  static FileFormatException refused(String rule, String text, String wanted) {
    String got = text.startsWith("\"") ? text : TextScanner.whole(text);
    return new FileFormatException("[table] %s; got %s; %s.".formatted(rule, got, wanted));
  }
}
