package ristretto.nnet3.io;

import java.util.Set;

/**
 * A table to read.
 *
 * @param script whether it is a script, not an archive
 * @param once nothing is asked for twice
 * @param sorted its keys ascend
 * @param calledSorted what is asked for ascends
 * @param permissive what cannot be read is as if it were not there
 * @param background the next entry is read while this one is worked on
 * @param file of the archive or script
 * @param text as it was written
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
