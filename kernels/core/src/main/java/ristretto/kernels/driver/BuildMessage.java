package ristretto.kernels.driver;

import java.nio.file.Path;
import java.util.BitSet;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Error message for a program that does not compile. */
final class BuildMessage {
  /** Source positions in compiler logs: {@code file:line:column:}, or {@code file(line):}. */
  private static final Pattern PLACE =
      Pattern.compile("[^\\s:]*:(\\d+):\\d+:|[^\\s(]+\\((\\d+)\\):");

  private static final int AROUND = 3;
  private static final int LONGEST_LOG = 4000;

  private BuildMessage() {}

  /**
   * Returns the message: the source around the reported lines, and the compiler's log.
   *
   * @param name label of the kernel
   * @param language name of the source language, as printed
   * @param log output of the compiler
   * @param file file that holds the source
   */
  static String of(String name, String language, String source, String log, Path file) {
    String[] lines = source.split("\n", -1);
    var shown = new BitSet();
    Matcher places = PLACE.matcher(log);
    while (places.find() && shown.cardinality() < 60) {
      String number = places.group(1) == null ? places.group(2) : places.group(1);
      int line = Integer.parseInt(number) - 1;
      if (line >= 0 && line < lines.length) {
        shown.set(Math.max(0, line - AROUND), Math.min(lines.length, line + AROUND + 1));
      }
    }
    if (shown.isEmpty()) {
      int kernel = 0;
      while (kernel < lines.length - 1
          && !lines[kernel].startsWith("KERNEL")
          && !lines[kernel].contains("public static void")) {
        kernel++;
      }
      shown.set(kernel, Math.min(lines.length, kernel + 40));
    }
    var text = new StringBuilder("[").append(name);
    text.append("] generated ").append(language).append(" must compile; the compiler rejects it;");
    text.append(" this is a bug of Ristretto or of the compiler, please report it\n");
    int last = -1;
    for (int k = shown.nextSetBit(0); k >= 0; k = shown.nextSetBit(k + 1)) {
      if (last >= 0 && k > last + 1) {
        text.append("   ...\n");
      }
      text.append(String.format(Locale.ROOT, "%5d %s\n", k + 1, lines[k]));
      last = k;
    }
    String shortened =
        log.length() <= LONGEST_LOG ? log : log.substring(0, LONGEST_LOG) + "\n(truncated)";
    return text + "log of the compiler:\n" + shortened + "\nsource: " + file;
  }
}
