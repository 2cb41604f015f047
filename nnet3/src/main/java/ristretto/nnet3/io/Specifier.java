package ristretto.nnet3.io;

/** What rspecifiers and wspecifiers have in common: options, a colon, and files. */
final class Specifier {
  private Specifier() {}

  /** Whether a name begins as tables do: most likely a mistake where a file is asked for. */
  static boolean looksLikeOne(String name) {
    int colon = name.indexOf(':');
    if (colon < 0) {
      return false;
    }
    for (String option : name.substring(0, colon).split("[, ]", -1)) {
      if (option.equals("ark") || option.equals("scp")) {
        return true;
      }
    }
    return false;
  }
}
