package ristretto.nnet3.io;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.FileFormatException;

/**
 * An entry of a script.
 *
 * @param key key of the entry
 * @param file rxfilename of the value
 * @param range range of the value to select, or null
 */
record ScriptLine(String key, String file, MatrixRange range) {
  /** Creates an entry from a name, which may end with a range. */
  ScriptLine(String key, String name) {
    this(key, withoutRange(name), rangeOf(name));
  }

  private static String withoutRange(String name) {
    return name.endsWith("]") ? name.substring(0, bracket(name)) : name;
  }

  private static MatrixRange rangeOf(String name) {
    return name.endsWith("]")
        ? MatrixRange.of(name.substring(bracket(name) + 1, name.length() - 1))
        : null;
  }

  private static int bracket(String name) {
    int at = name.indexOf('[');
    if (at <= 0 || at != name.lastIndexOf('[')) {
      throw new FileFormatException(
          "[table] a range must follow a file, in one pair of brackets; got %s; write, for example, file:123[0:9]."
              .formatted(TextScanner.whole(name)));
    }
    return at;
  }

  /** Reads the next entry; returns null at the end. */
  static ScriptLine read(KaldiInput in) {
    long at = in.offset();
    String line = in.readLine();
    if (line == null) {
      return null;
    }
    String[] parts = TextScanner.strip(line).split("\\s+", 2);
    if (parts.length < 2) {
      throw in.malformed(
          at, "a line of a script must have a key and a file", TextScanner.quoted(line));
    }
    var entry = new ScriptLine(parts[0], parts[1]);
    PipePermission.check(entry.file(), line, in.name() + " at byte " + at);
    return entry;
  }

  /** Reads all entries of a script. */
  static List<ScriptLine> readAll(String rxfilename) {
    var all = new ArrayList<ScriptLine>();
    try (var in = open(rxfilename)) {
      for (ScriptLine line = read(in); line != null; line = read(in)) {
        all.add(line);
      }
    }
    return all;
  }

  static KaldiInput open(String rxfilename) {
    var in = KaldiInput.open(rxfilename);
    if (in.binary()) {
      in.close();
      throw in.malformed(0, "a script must be text", "a binary file, such as an archive");
    }
    return in;
  }
}
