package ristretto.nnet3.io;

import java.util.Arrays;
import java.util.Locale;

/** Reads vectors from a file, and the brackets around numbers in text mode. */
final class VectorReader {
  private final KaldiInput in;
  private final ByteSource source;
  private final TextScanner text;

  VectorReader(KaldiInput in, ByteSource source, TextScanner text) {
    this.in = in;
    this.source = source;
    this.text = text;
  }

  int[] ints(int width, String what) {
    if (!in.binary()) {
      return textInts(width, what);
    }
    in.size(Integer.BYTES, what);
    int count = count((int) source.littleEndian(Integer.BYTES, what), width, what);
    return source.ints(count, what);
  }

  private int[] textInts(int width, String what) {
    open(what);
    var to = new int[16];
    int size = 0;
    while (in.peek() != ']') {
      if (size + width > to.length) {
        to = Arrays.copyOf(to, 2 * to.length);
      }
      to[size++] = text.integer("an element or ']'");
      if (width == 2) {
        if (source.peek() != ',') {
          throw source.malformed(source.offset(), "a comma must stand within a pair", in.next());
        }
        source.read();
        to[size++] = text.integer("the second of a pair");
      }
    }
    source.read();
    return Arrays.copyOf(to, size);
  }

  float[] vector() {
    if (!in.binary()) {
      var to = new float[16];
      int size = 0;
      for (open("a vector"); more(); ) {
        if (size == to.length) {
          to = Arrays.copyOf(to, 2 * size);
        }
        to[size++] = in.readFloat("an element or ']'");
      }
      return Arrays.copyOf(to, size);
    }
    if (source.peek() == 'D') {
      double[] wide = doubleVector();
      var to = new float[wide.length];
      for (int k = 0; k < to.length; k++) {
        to[k] = (float) wide[k];
      }
      return to;
    }
    token("FV");
    int count = count(in.readInt("the dimension of a vector"), 1, "a vector");
    long at = source.offset();
    float[] to = source.floats(count, String.format(Locale.ROOT, "a vector of %d floats", count));
    if (in.finite()) {
      for (int k = 0; k < count; k++) {
        in.checkFinite(to[k], at + (long) k * Float.BYTES);
      }
    }
    return to;
  }

  double[] doubleVector() {
    if (!in.binary()) {
      var to = new double[16];
      int size = 0;
      for (open("a vector"); more(); ) {
        if (size == to.length) {
          to = Arrays.copyOf(to, 2 * size);
        }
        long at = in.at();
        to[size] = text.longReal("an element or ']'");
        in.checkFinite(to[size++], at);
      }
      return Arrays.copyOf(to, size);
    }
    if (source.peek() == 'F') {
      float[] narrow = vector();
      var to = new double[narrow.length];
      for (int k = 0; k < to.length; k++) {
        to[k] = narrow[k];
      }
      return to;
    }
    token("DV");
    int count = count(in.readInt("the dimension of a vector"), 1, "a vector");
    long at = source.offset();
    double[] to =
        source.doubles(count, String.format(Locale.ROOT, "a vector of %d doubles", count));
    if (in.finite()) {
      for (int k = 0; k < count; k++) {
        in.checkFinite(to[k], at + (long) k * Double.BYTES);
      }
    }
    return to;
  }

  /**
   * Returns true if another element of a vector follows, or else takes the closing bracket and the
   * line end.
   */
  private boolean more() {
    text.skipBlanks();
    if (source.peek() == '\n') {
      throw source.malformed(
          source.offset(), "a vector must be on one line", "a line's end, as matrices have");
    }
    if (source.peek() != ']') {
      return true;
    }
    close();
    return false;
  }

  /** Takes the opening bracket before elements. */
  void open(String what) {
    long at = in.at();
    if (source.peek() != '[') {
      throw source.malformed(at, what + " must begin with '['", in.next());
    }
    source.read();
  }

  /** Takes the closing bracket after elements, and a line end directly after it. */
  void close() {
    source.read();
    if (source.peek() == '\r') {
      source.read();
    }
    if (source.peek() == '\n') {
      source.read();
    }
  }

  void token(String token) {
    long at = source.offset();
    String got = in.readToken();
    if (!got.equals(token)) {
      throw source.malformed(
          at, "the token %s must come next".formatted(token), TextScanner.quoted(got));
    }
  }

  private int count(int count, int width, String what) {
    if (count < 0 || (long) count * width > Integer.MAX_VALUE - 8) {
      throw source.malformed(
          source.offset() - Integer.BYTES,
          String.format(
              Locale.ROOT, "%s must have 0 to %d elements", what, (Integer.MAX_VALUE - 8) / width),
          "the number " + count);
    }
    return count * width;
  }
}
