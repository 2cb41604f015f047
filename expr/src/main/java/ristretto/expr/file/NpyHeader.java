package ristretto.expr.file;

import java.util.Locale;
import java.util.Optional;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ir.Longs;

/**
 * Header of a .npy file, a Python dictionary: {@code {'descr': '<f4', 'fortran_order': False,
 * 'shape': (2, 3), }}. The parser accepts only these three entries without nesting, so that
 * malicious input cannot exhaust the stack.
 */
final class NpyHeader {
  private final FileBytes file;
  private final long start;
  private final String text;
  private int at;

  private String descr;
  private Boolean fortranOrder;
  private Longs shape;

  private NpyHeader(FileBytes file, long start, String text) {
    this.file = file;
    this.start = start;
    this.text = text;
  }

  record Fields(NpyType type, boolean fortranOrder, Longs shape) {}

  /** Parses {@code text}, which begins at byte {@code start} of {@code file}. */
  static Fields parse(FileBytes file, long start, String text) {
    NpyHeader header = new NpyHeader(file, start, text);
    header.dictionary();
    return header.fields();
  }

  static String format(NpyType type, Longs shape) {
    StringBuilder tuple = new StringBuilder("(");
    for (int k = 0; k < shape.size(); k++) {
      tuple.append(shape.get(k)).append(k + 1 < shape.size() ? ", " : shape.size() == 1 ? "," : "");
    }
    return "{'descr': '%s', 'fortran_order': False, 'shape': %s), }".formatted(type.descr(), tuple);
  }

  private void dictionary() {
    skipSpaces();
    expect('{', "a Python dictionary");
    for (skipSpaces(); !accept('}'); skipSpaces()) {
      int keyAt = at;
      String key = string();
      skipSpaces();
      expect(':', "':' after a key");
      skipSpaces();
      boolean again =
          switch (key) {
            case "descr" -> descr != null;
            case "fortran_order" -> fortranOrder != null;
            case "shape" -> shape != null;
            default ->
                throw malformed(
                    keyAt,
                    "the header must have the keys descr, fortran_order and shape only",
                    "'" + Excerpt.of(key) + "'");
          };
      if (again) {
        throw malformed(
            keyAt, "the header must name each key once", "'" + Excerpt.of(key) + "' again");
      }
      switch (key) {
        case "descr" -> descr = descr();
        case "fortran_order" -> fortranOrder = bool();
        default -> shape = tuple();
      }
      skipSpaces();
      if (!accept(',')) {
        skipSpaces();
        expect('}', "',' or '}' after a value");
        break;
      }
    }
    skipSpaces();
    if (at < text.length()) {
      throw malformed(at, "the header must end after its dictionary", found());
    }
  }

  private Fields fields() {
    if (descr == null || fortranOrder == null || shape == null) {
      String missing = descr == null ? "descr" : fortranOrder == null ? "fortran_order" : "shape";
      throw malformed(
          0, "the header must have the keys descr, fortran_order and shape", "no " + missing);
    }
    Optional<NpyType> type = NpyType.of(descr);
    if (type.isEmpty()) {
      throw malformed(
          0,
          "dtype must be one of " + NpyType.SUPPORTED,
          "'" + Excerpt.of(descr) + "'",
          "convert it with NumPy's astype");
    }
    return new Fields(type.get(), fortranOrder, shape);
  }

  private String descr() {
    if (at < text.length() && text.charAt(at) == '[') {
      throw malformed(
          at,
          "dtype must be one of " + NpyType.SUPPORTED,
          "a structured dtype",
          "save each field as a tensor of its own");
    }
    return string();
  }

  private String string() {
    char quote = at < text.length() ? text.charAt(at) : 0;
    if (quote != '\'' && quote != '"') {
      throw malformed(at, "the header must have a quoted string here", found());
    }
    int end = text.indexOf(quote, at + 1);
    if (end < 0) {
      throw malformed(at, "a string must end with its quote", found());
    }
    String value = text.substring(at + 1, end);
    if (value.chars().anyMatch(c -> c < ' ' || c == '\\')) {
      throw malformed(at, "a string must have printable characters only", "others");
    }
    at = end + 1;
    return value;
  }

  private boolean bool() {
    for (String word : new String[] {"True", "False"}) {
      if (text.startsWith(word, at)) {
        at += word.length();
        return word.equals("True");
      }
    }
    throw malformed(at, "fortran_order must be True or False", found());
  }

  private Longs tuple() {
    expect('(', "a tuple as shape");
    long[] extents = new long[HostTensor.MAX_RANK];
    int rank = 0;
    boolean comma = true;
    for (skipSpaces(); !accept(')'); skipSpaces()) {
      if (!comma) {
        throw malformed(at, "extents must be separated by ','", found());
      }
      if (rank == HostTensor.MAX_RANK) {
        throw malformed(at, "a shape must have at most " + rank + " extents", "more");
      }
      extents[rank++] = extent();
      skipSpaces();
      comma = accept(',');
    }
    if (rank == 1 && !comma) {
      throw malformed(at - 1, "a tuple of one extent must have a ','", "none");
    }
    return Longs.of(java.util.Arrays.copyOf(extents, rank));
  }

  private long extent() {
    int from = at;
    accept('-');
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    String digits = text.substring(from, at);
    // Python 2 wrote long integers with an L
    accept('L');
    long extent;
    try {
      extent = digits.isEmpty() ? -1 : Long.parseLong(digits);
    } catch (NumberFormatException e) {
      extent = -1;
    }
    if (extent < 0) {
      throw malformed(
          from,
          "an extent must be a number from 0 to 2^63-1",
          digits.isEmpty() ? found() : Excerpt.of(digits));
    }
    return extent;
  }

  private void skipSpaces() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private boolean accept(char c) {
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c, String what) {
    if (!accept(c)) {
      throw malformed(at, "the header must have " + what, found());
    }
  }

  /** Description of the current character, safe to print. */
  private String found() {
    if (at >= text.length()) {
      return "the end of the header";
    }
    char c = text.charAt(at);
    return c < ' ' || c > '~' ? String.format(Locale.ROOT, "character %d", (int) c) : "'" + c + "'";
  }

  private FileFormatException malformed(int where, String rule, String got) {
    return file.malformed(start + where, rule, got);
  }

  private FileFormatException malformed(int where, String rule, String got, String remedy) {
    return file.malformed(start + where, rule, got, remedy);
  }
}
