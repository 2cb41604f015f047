package ristretto.nnet3.io;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Locale;
import ristretto.kernels.FileFormatException;

/**
 * Reads a file of Kaldi's, text or binary: which it is, its first two bytes tell. What does not
 * follow the format is refused with the file's name and the offset of the byte where it stands, and
 * counts that the file cannot hold are refused before memory is taken for them.
 */
public final class KaldiInput implements AutoCloseable {
  private static final int LONGEST_TEXT = 1 << 26;

  private final ByteSource source;
  private final TextScanner text;
  private boolean binary;
  private boolean finite;

  KaldiInput(ByteSource source) {
    this.source = source;
    this.text = new TextScanner(source);
  }

  /**
   * Opens what Kaldi calls an rxfilename: the path of a file, {@code path:123} to begin at a byte
   * of it, {@code -} for standard input, or {@code command |} for what a command prints.
   */
  public static KaldiInput open(String rxfilename) {
    var in = new KaldiInput(InputName.of(rxfilename).open());
    in.header();
    return in;
  }

  /**
   * All lines of a text file, of at most 64 MiB.
   *
   * @param what it is, in messages
   */
  public static String text(String rxfilename, String what) {
    try (KaldiInput in = open(rxfilename)) {
      if (in.binary()) {
        throw in.malformed(0, what + " must be text", "a binary file");
      }
      var text = new StringBuilder();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        text.append(line).append('\n');
        if (text.length() > LONGEST_TEXT) {
          throw in.malformed(
              in.offset(), what + " must have at most " + LONGEST_TEXT + " characters", "more");
        }
      }
      return text.toString();
    }
  }

  /** What is in memory already, under a name for messages. */
  public static KaldiInput of(String name, byte[] bytes) {
    var in = new KaldiInput(new ByteSource(name, bytes));
    in.header();
    return in;
  }

  /** Detects the mode of what begins here: an object of an archive has a mode of its own. */
  void header() {
    binary = source.peek() == 0;
    if (binary) {
      long at = source.offset();
      source.read();
      if (source.peek() != 'B') {
        throw source.malformed(
            at, "a binary file must begin with a zero byte and 'B'", "a zero byte and " + next());
      }
      source.read();
    }
  }

  /** From now on, numbers that are infinite or NaN are refused. */
  public KaldiInput requireFinite() {
    finite = true;
    return this;
  }

  /** Whether numbers are binary. */
  public boolean binary() {
    return binary;
  }

  /** The file as messages call it. */
  public String name() {
    return source.name();
  }

  /** How many bytes of the file come before the next one. */
  public long offset() {
    return source.offset();
  }

  /** Whether nothing follows; white space is skipped in text. */
  public boolean atEnd() {
    return peek() < 0;
  }

  /** The next byte, or -1 at the end; white space is skipped in text. */
  public int peek() {
    if (!binary) {
      text.skipSpace();
    }
    return source.peek();
  }

  /** The first character of the next token, after its {@code <} if it begins so; -1 at the end. */
  public int peekToken() {
    int first = peek();
    return first == '<' ? source.peekSecond() : first;
  }

  /** Takes a token, and the one white space that must follow it. */
  public String readToken() {
    return token("a token");
  }

  /** Takes the token that must stand here. */
  public void expectToken(String token) {
    text.skipSpace();
    long at = source.offset();
    String got = token("the token " + token);
    if (!got.equals(token)) {
      throw source.malformed(
          at, "the token %s must stand here".formatted(token), TextScanner.quoted(got));
    }
  }

  private String token(String what) {
    text.skipSpace();
    long at = source.offset();
    String token = text.word();
    if (token.isEmpty()) {
      throw source.malformed(at, what + " must stand here", next());
    }
    if (source.peek() < 0) {
      throw source.malformed(
          source.offset(), "a space must follow " + TextScanner.quoted(token), "the end");
    }
    source.read();
    return token;
  }

  /** The rest of the line, without its end; null at the end of the file. Text in both modes. */
  public String readLine() {
    return text.line();
  }

  /** Whether more follows on this line. */
  boolean onLine() {
    text.skipBlanks();
    return source.peek() >= 0 && source.peek() != '\n';
  }

  /** The same; takes the line's end if not. */
  boolean moreOnLine() {
    boolean more = onLine();
    if (!more) {
      source.read();
    }
    return more;
  }

  /**
   * All bytes up to a token and the white space that follows it, as they are; of text, with the end
   * of its line.
   */
  public byte[] readThrough(String token) {
    long at = source.offset();
    byte[] wanted = ByteText.encode(token);
    var to = new ByteArrayOutputStream();
    var tail = new byte[wanted.length];
    while (!Arrays.equals(tail, wanted)) {
      int c = source.read();
      if (c < 0) {
        throw source.malformed(
            at, "the token %s must follow".formatted(token), "none up to the end");
      }
      to.write(c);
      System.arraycopy(tail, 1, tail, 0, tail.length - 1);
      tail[tail.length - 1] = (byte) c;
    }
    if (TextScanner.isSpace(source.peek())) {
      to.write(source.read());
      if (!binary && source.peek() == '\n') {
        to.write(source.read());
      }
    }
    return to.toByteArray();
  }

  /** An integer of 32 bits. */
  public int readInt() {
    return readInt("the value");
  }

  int readInt(String what) {
    if (!binary) {
      return text.integer(what);
    }
    size(Integer.BYTES, what);
    return (int) source.littleEndian(Integer.BYTES, what);
  }

  /**
   * An integer that counts what follows. Negative ones are refused, and those that the rest of the
   * file cannot hold.
   *
   * @param what is counted
   * @param smallest bytes that each has at least
   */
  public int readCount(String what, int smallest) {
    long at = at();
    int count = readInt("the number of " + what);
    if (count < 0) {
      throw source.malformed(
          at, "the number of %s must be 0 or more".formatted(what), Integer.toString(count));
    }
    source.need((long) count * smallest, String.format(Locale.ROOT, "%d %s", count, what));
    return count;
  }

  /** The same of a number that Kaldi writes without a sign. */
  public int readUnsignedCount(String what, int smallest) {
    if (!binary) {
      return readCount(what, smallest);
    }
    long at = source.offset();
    int size = readByte();
    if (size != -Integer.BYTES) {
      throw source.malformed(
          at,
          String.format(
              Locale.ROOT, "the number of %s must begin with its size, %d", what, -Integer.BYTES),
          "byte " + size);
    }
    int count = (int) source.littleEndian(Integer.BYTES, what);
    if (count < 0) {
      throw source.malformed(
          at,
          "the number of %s must be below 2^31".formatted(what),
          Integer.toUnsignedString(count));
    }
    source.need((long) count * smallest, String.format(Locale.ROOT, "%d %s", count, what));
    return count;
  }

  /** One byte, from -128 to 127, as it is. */
  public int readByte() {
    return (byte) source.littleEndian(1, "a byte");
  }

  /** A number; one of double precision is rounded. */
  public float readFloat() {
    return readFloat("the value");
  }

  float readFloat(String what) {
    long at = at();
    float value;
    if (!binary) {
      value = text.real(what);
    } else if (source.peek() == Double.BYTES) {
      value = (float) readDouble();
    } else {
      size(Float.BYTES, what);
      value = Float.intBitsToFloat((int) source.littleEndian(Float.BYTES, what));
    }
    checkFinite(value, at);
    return value;
  }

  /** A number of double or single precision. */
  public double readDouble() {
    long at = at();
    double value;
    if (!binary) {
      value = text.longReal("the value");
    } else if (source.peek() == Float.BYTES) {
      value = readFloat();
    } else {
      size(Double.BYTES, "the value");
      value = Double.longBitsToDouble(source.littleEndian(Double.BYTES, "the value"));
    }
    checkFinite(value, at);
    return value;
  }

  /** {@code T} or {@code F}. */
  public boolean readBool() {
    long at = at();
    int c = source.peek();
    if (c != 'T' && c != 'F') {
      throw source.malformed(at, "T or F must stand here", next());
    }
    source.read();
    return c == 'T';
  }

  /** Integers of 32 bits, with their number before them or in brackets. */
  public int[] readIntVector() {
    return new VectorReader(this, source, text).ints(1, "a vector of integers");
  }

  /** Pairs of integers: the first and the second of each, in turn. */
  public int[] readIntPairs() {
    return new VectorReader(this, source, text).ints(2, "a vector of pairs");
  }

  /** A vector of floats; one of doubles is rounded. */
  public float[] readVector() {
    return new VectorReader(this, source, text).vector();
  }

  /** A vector of doubles or floats. */
  public double[] readDoubleVector() {
    return new VectorReader(this, source, text).doubleVector();
  }

  /** A matrix of floats; one of doubles is rounded, a compressed one expanded. */
  public Matrix readMatrix() {
    return new MatrixReader(this, source, text).matrix();
  }

  /** A matrix of doubles or floats. */
  public DoubleMatrix readDoubleMatrix() {
    return new MatrixReader(this, source, text).doubleMatrix();
  }

  /** A full, compressed or sparse matrix of floats. */
  public GeneralMatrix readGeneralMatrix() {
    return new MatrixReader(this, source, text).generalMatrix();
  }

  /** A vector of which only some elements are kept. */
  public SparseVector readSparseVector() {
    return new MatrixReader(this, source, text).sparseVector();
  }

  /**
   * What stands at an offset does not follow the format: to be thrown.
   *
   * @param at the offset
   * @param rule what must hold
   * @param got what is there
   */
  public FileFormatException malformed(long at, String rule, String got) {
    return source.malformed(at, rule, got);
  }

  /** Offset of the next item. */
  long at() {
    if (!binary) {
      text.skipSpace();
    }
    return source.offset();
  }

  /** The next byte, or the end, as messages call it. */
  String next() {
    return text.next();
  }

  TextScanner text() {
    return text;
  }

  ByteSource source() {
    return source;
  }

  /** Takes the byte that tells the size of a binary number. */
  void size(int bytes, String what) {
    long at = source.offset();
    int size = source.read();
    if (size != bytes) {
      throw source.malformed(
          at,
          String.format(Locale.ROOT, "%s must begin with its size, %d", what, bytes),
          size < 0 ? "the end" : "byte " + size);
    }
  }

  void checkFinite(double value, long at) {
    if (finite && !Double.isFinite(value)) {
      throw source.malformed(at, "numbers must be finite", FloatText.of(value, 7));
    }
  }

  boolean finite() {
    return finite;
  }

  @Override
  public void close() {
    source.close();
  }
}
