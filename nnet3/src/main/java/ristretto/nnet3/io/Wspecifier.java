package ristretto.nnet3.io;

import java.util.Set;

/**
 * Parsed name of a table to write: Kaldi's wspecifier.
 *
 * @param archive file of the archive, or null
 * @param script file of the script, or null; written with an archive, read without one
 * @param binary true for binary mode, false for text mode
 * @param flush true to flush after each entry
 * @param permissive true to leave out entries that the script does not name
 */
record Wspecifier(
    String archive, String script, boolean binary, boolean flush, boolean permissive) {
  private static final Set<String> KNOWN = Specifier.known("ark", "scp", "b", "t", "f", "nf", "p");
  private static final String WANTED =
      "write ark:file, scp:file or ark,scp:file,file, with options before the colon as in"
          + " ark,t:file";

  static Wspecifier of(String text) {
    var parts = Specifier.of(text, KNOWN, WANTED);
    boolean archive = parts.count("ark") == 1;
    boolean script = parts.count("scp") == 1;
    if (parts.count("ark") > 1 || parts.count("scp") > 1 || !archive && !script) {
      throw Specifier.refused("ark, scp or both must be named, once each", text, WANTED);
    }
    boolean both = archive && script;
    if (both && parts.options().indexOf("scp") < parts.options().indexOf("ark")) {
      throw Specifier.refused("ark must be named before scp", text, WANTED);
    }
    int comma = parts.files().indexOf(',');
    if (both && comma < 0) {
      throw Specifier.refused("an archive and a script must have two files", text, WANTED);
    }
    return new Wspecifier(
        both ? parts.files().substring(0, comma) : archive ? parts.files() : null,
        both ? parts.files().substring(comma + 1) : script ? parts.files() : null,
        !parts.has("t", "b"),
        parts.has("f", "nf"),
        parts.count("p") > 0);
  }
}
