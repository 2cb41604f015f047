package ristretto.nnet3.io;

import java.util.Set;

/**
 * Parsed name of a table to read: Kaldi's rspecifier.
 *
 * @param script true for a script, false for an archive
 * @param once true if each key is looked up at most once
 * @param sorted true if keys ascend
 * @param calledSorted true if the keys of lookups ascend
 * @param permissive true if entries that cannot be read count as missing
 * @param background true if entries are read ahead on another thread
 * @param file file of the archive or script
 * @param text the rspecifier as written
 */
record Rspecifier(
    boolean script,
    boolean once,
    boolean sorted,
    boolean calledSorted,
    boolean permissive,
    boolean background,
    String file,
    String text) {
  private static final Set<String> KNOWN =
      Specifier.known("ark", "scp", "b", "t", "o", "no", "s", "ns", "cs", "ncs", "p", "np", "bg");
  private static final String WANTED =
      "write ark:file or scp:file, with options before the colon as in ark,s,cs:file";

  static Rspecifier of(String text) {
    var parts = Specifier.of(text, KNOWN, WANTED);
    if (parts.count("ark") + parts.count("scp") != 1) {
      throw Specifier.refused("one of ark and scp must be named", text, WANTED);
    }
    return new Rspecifier(
        parts.count("scp") == 1,
        parts.has("o", "no"),
        parts.has("s", "ns"),
        parts.has("cs", "ncs"),
        parts.has("p", "np"),
        parts.count("bg") > 0,
        parts.files(),
        text);
  }
}
