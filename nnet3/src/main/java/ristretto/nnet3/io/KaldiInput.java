package ristretto.nnet3.io;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.ObjLongConsumer;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseVector;

/**
 * Reads a Kaldi file, text or binary as its first two bytes say. Content that violates the format
 * is refused with the file's name and the byte offset, and counts that exceed the rest of the file
 * are refused before memory is allocated for them.
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
   * Opens a Kaldi rxfilename: the path of a file, {@code path:123} to start at a byte offset,
   * {@code -} for standard input, or {@code command |} for the output of a shell command.
   */
  public static KaldiInput open(String rxfilename) {
    var in = new KaldiInput(Rxfilename.of(rxfilename).open());
    in.header();
    return in;
  }

  /**
   * Reads all lines of a text file, of at most 2^26 characters.
   *
   * @param what name of the content in messages
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

  /** Opens bytes in memory; {@code name} stands for the file's name in messages. */
  public static KaldiInput of(String name, byte[] bytes) {
    var in = new KaldiInput(new ByteSource(name, bytes));
    in.header();
    return in;
  }

  /**
   * Detects the mode of the object at the current offset; each object of an archive has its own
   * mode.
   */
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

  /** Refuses infinite and NaN numbers from now on; returns this input. */
  public KaldiInput requireFinite() {
    finite = true;
    return this;
  }

  /** Returns true in binary mode. */
  public boolean binary() {
    return binary;
  }

  /** Name of the file in messages. */
  public String name() {
    return source.name();
  }

  /** Offset of the next byte in the file. */
  public long offset() {
    return source.offset();
  }

  /** Returns true at the end of the file; skips white space in text mode. */
  public boolean atEnd() {
    return peek() < 0;
  }

  /** Returns the next byte without taking it, or -1 at the end; skips white space in text mode. */
  public int peek() {
    if (!binary) {
      text.skipSpace();
    }
    return source.peek();
  }

  /**
   * Returns the first character of the next token without taking it, or the second if the first is
   * {@code <}; -1 at the end.
   */
  public int peekToken() {
    int first = peek();
    return first == '<' ? source.peekSecond() : first;
  }

  /** Takes a token and the single white space that must follow it. */
  public String readToken() {
    return token("a token");
  }

  /** Takes a token, which must be {@code token}. */
  public void expectToken(String token) {
    text.skipSpace();
    long at = source.offset();
    String got = token("the token " + token);
    if (!got.equals(token)) {
      throw source.malformed(
          at, "the token %s must come next".formatted(token), TextScanner.quoted(got));
    }
  }

  private String token(String what) {
    text.skipSpace();
    long at = source.offset();
    String token = text.word();
    if (token.isEmpty()) {
      throw source.malformed(at, what + " must come next", next());
    }
    if (source.peek() < 0) {
      throw source.malformed(
          source.offset(), "a space must follow " + TextScanner.quoted(token), "the end");
    }
    source.read();
    return token;
  }

  /**
   * Reads the rest of the line as text in both modes, without the line end; null at the end of the
   * file.
   */
  public String readLine() {
    return text.line();
  }

  /** Returns true if more text follows on this line; skips blanks. */
  boolean onLine() {
    text.skipBlanks();
    return source.peek() >= 0 && source.peek() != '\n';
  }

  /** Returns true if more text follows on this line, or else takes the line end. */
  boolean moreOnLine() {
    boolean more = onLine();
    if (!more) {
      source.read();
    }
    return more;
  }

  /**
   * Reads bytes unchanged through a token, the white space after it and, in text mode, a line end
   * after that.
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

  /** Reads a 32-bit integer. */
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
   * Reads the number of items that follow. Refuses negative numbers and those that the rest of the
   * file cannot hold.
   *
   * @param what name of the items in messages
   * @param smallest minimum size of an item in bytes
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

  /**
   * Reads the number of items that follow, written as an unsigned integer. Refuses numbers of 2^31
   * or more and those that the rest of the file cannot hold.
   */
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

  /**
   * Reads a little-endian integer of up to 8 bytes, which has no size before it, without sign
   * extension; skips no white space. Files of OpenFst have such integers.
   *
   * @param what name of the integer in messages
   */
  public long readRaw(int bytes, String what) {
    return source.littleEndian(bytes, what);
  }

  /** Reads 32-bit integers that have no sizes before them; skips no white space. */
  public int[] readRawInts(int count, String what) {
    return source.ints(count, what);
  }

  /**
   * Reads all lines to the end.
   *
   * @param use receives each line that is not blank, and the offset at which it begins
   */
  public void eachLine(ObjLongConsumer<String> use) {
    for (long at = offset(); ; at = offset()) {
      String line = readLine();
      if (line == null) {
        return;
      }
      if (!line.isBlank()) {
        use.accept(line, at);
      }
    }
  }

  /** Reads bytes; skips no white space. */
  public byte[] readRawBytes(int count, String what) {
    return source.bytes(count, what);
  }

  /** Refuses a size that the rest of the file cannot hold. */
  public void need(long bytes, String what) {
    source.need(bytes, what);
  }

  /** Returns the next byte without taking it, or -1 at the end; skips no white space. */
  public int peekRaw() {
    return source.peek();
  }

  /** Reads a signed byte, which has no size before it. */
  public int readByte() {
    return (byte) source.littleEndian(1, "a byte");
  }

  /** Reads a number of single precision; rounds one of double precision. */
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

  /** Reads a number of double or single precision. */
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

  /** Reads a boolean: {@code T} or {@code F}. */
  public boolean readBool() {
    long at = at();
    int c = source.peek();
    if (c != 'T' && c != 'F') {
      throw source.malformed(at, "T or F must come next", next());
    }
    source.read();
    return c == 'T';
  }

  /**
   * Reads a vector of 32-bit integers, preceded by its length in binary mode, in brackets in text
   * mode.
   */
  public int[] readIntVector() {
    return new VectorReader(this, source, text).ints(1, "a vector of integers");
  }

  /**
   * Reads a vector of integer pairs, as an array in which the first and second elements alternate.
   */
  public int[] readIntPairs() {
    return new VectorReader(this, source, text).ints(2, "a vector of pairs");
  }

  /** Reads a vector of floats; rounds a vector of doubles. */
  public float[] readVector() {
    return new VectorReader(this, source, text).vector();
  }

  /** Reads a vector of doubles or floats. */
  public double[] readDoubleVector() {
    return new VectorReader(this, source, text).doubleVector();
  }

  /** Reads a matrix of floats; rounds a matrix of doubles and expands a compressed one. */
  public Matrix readMatrix() {
    return new MatrixReader(this, source, text).matrix();
  }

  /** Reads a matrix of doubles or floats. */
  public DoubleMatrix readDoubleMatrix() {
    return new MatrixReader(this, source, text).doubleMatrix();
  }

  /** Reads a full, compressed or sparse matrix of floats. */
  public GeneralMatrix readGeneralMatrix() {
    return new MatrixReader(this, source, text).generalMatrix();
  }

  /** Reads a sparse vector. */
  public SparseVector readSparseVector() {
    return new MatrixReader(this, source, text).sparseVector();
  }

  /**
   * Creates an exception, for the caller to throw, about content that violates the format.
   *
   * @param at offset of the content
   * @param rule the violated rule
   * @param got the content found
   */
  public FileFormatException malformed(long at, String rule, String got) {
    return source.malformed(at, rule, got);
  }

  /** Offset of the next item; skips white space in text mode. */
  long at() {
    if (!binary) {
      text.skipSpace();
    }
    return source.offset();
  }

  /** Describes the next byte, or the end, for messages. */
  String next() {
    return text.next();
  }

  TextScanner text() {
    return text;
  }

  ByteSource source() {
    return source;
  }

  /** Takes the size byte of a binary number, which must be {@code bytes}. */
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
