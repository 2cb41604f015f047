package ristretto.nnet3.io;

import java.io.ByteArrayOutputStream;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntToDoubleFunction;
import ristretto.kernels.ShapeException;

/**
 * Writes a file as Kaldi does, text or binary. Text has 7 significant digits, so that floats do not
 * all read back as they were.
 */
public final class KaldiOutput {
  /** What Kaldi prints, which does not tell all floats apart. */
  private static final int DIGITS = 7;

  private static final int MOST_DIGITS = 9;

  private final ByteSink sink;
  private boolean binary;
  private int digits = DIGITS;

  KaldiOutput(ByteSink sink) {
    this.sink = sink;
  }

  /**
   * Opens what Kaldi calls a wxfilename: the path of a file, {@code -} for standard output, or
   * {@code | command} for what a command reads. A file is written aside and renamed when all is
   * written, so that there is the old one or the new one, whole.
   */
  public static void write(String wxfilename, boolean binary, Consumer<KaldiOutput> content) {
    try (ByteSink sink = OutputName.of(wxfilename).open()) {
      var out = new KaldiOutput(sink);
      out.header(binary);
      content.accept(out);
      sink.commit();
    }
  }

  /** What would be written to a file, in memory. */
  public static byte[] bytes(boolean binary, Consumer<KaldiOutput> content) {
    var to = new ByteArrayOutputStream();
    try (var sink = ByteSink.inMemory(to)) {
      var out = new KaldiOutput(sink);
      out.header(binary);
      content.accept(out);
      sink.commit();
    }
    return to.toByteArray();
  }

  /** Begins an object; those of an archive have a header each. */
  void header(boolean isBinary) {
    binary = isBinary;
    if (binary) {
      sink.put(0);
      sink.put('B');
    }
  }

  /** Whether numbers are binary. */
  public boolean binary() {
    return binary;
  }

  /**
   * Numbers of text have 9 digits from now on, which is enough for floats to read back the same.
   */
  public KaldiOutput exactText() {
    digits = MOST_DIGITS;
    return this;
  }

  /** How many bytes were written. */
  public long offset() {
    return sink.offset();
  }

  /** A token and a space. */
  public void writeToken(String token) {
    if (token.isEmpty() || token.chars().anyMatch(TextScanner::isSpace)) {
      throw new ShapeException(
          "[kaldi] a token must have characters and no white space; got %s; rename it."
              .formatted(TextScanner.quoted(token)));
    }
    writeText(token);
    sink.put(' ');
  }

  /**
   * Characters as they are, in both modes: as UTF-8, but for bytes that were read and are not
   * UTF-8, which are written as they were.
   */
  public void writeText(String text) {
    writeBytes(ByteText.encode(text));
  }

  /** Bytes as they are, in both modes. */
  public void writeBytes(byte[] bytes) {
    sink.put(bytes, 0, bytes.length);
  }

  /** A line's end in text, nothing in binary. */
  public void endLine() {
    if (!binary) {
      sink.put('\n');
    }
  }

  /** An integer of 32 bits. */
  public void writeInt(int value) {
    if (binary) {
      sink.put(Integer.BYTES);
      sink.littleEndian(value, Integer.BYTES);
    } else {
      writeText(value + " ");
    }
  }

  /** A number of single precision. */
  public void writeFloat(float value) {
    if (binary) {
      sink.put(Float.BYTES);
      sink.littleEndian(Float.floatToRawIntBits(value), Float.BYTES);
    } else {
      writeText(FloatText.of(value, digits) + " ");
    }
  }

  /** A number of double precision. */
  public void writeDouble(double value) {
    if (binary) {
      sink.put(Double.BYTES);
      sink.littleEndian(Double.doubleToRawLongBits(value), Double.BYTES);
    } else {
      writeText(FloatText.of(value, digits) + " ");
    }
  }

  /** {@code T} or {@code F}, in text with a space. */
  public void writeBool(boolean value) {
    sink.put(value ? 'T' : 'F');
    if (!binary) {
      sink.put(' ');
    }
  }

  /** Integers of 32 bits. */
  public void writeIntVector(int[] values) {
    if (binary) {
      sink.put(Integer.BYTES);
      sink.littleEndian(values.length, Integer.BYTES);
      sink.ints(values);
      return;
    }
    var text = new StringBuilder("[ ");
    for (int value : values) {
      text.append(value).append(' ');
    }
    writeText(text.append("]\n").toString());
  }

  /** Pairs of integers: the first and the second of each, in turn. */
  public void writeIntPairs(int[] values) {
    if (values.length % 2 != 0) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[kaldi] pairs must be whole; got %d numbers; give an even number.",
              values.length));
    }
    if (binary) {
      sink.put(Integer.BYTES);
      sink.littleEndian(values.length / 2, Integer.BYTES);
      sink.ints(values);
      return;
    }
    var text = new StringBuilder("[ ");
    for (int k = 0; k < values.length; k += 2) {
      text.append(values[k]).append(',').append(values[k + 1]).append(' ');
    }
    writeText(text.append("]\n").toString());
  }

  /** A vector of floats. */
  public void writeVector(float[] values) {
    if (binary) {
      writeToken("FV");
      writeInt(values.length);
      sink.floats(values);
      return;
    }
    writeNumbers(values.length, 0, k -> values[k]);
  }

  /** A vector of doubles. */
  public void writeDoubleVector(double[] values) {
    if (binary) {
      writeToken("DV");
      writeInt(values.length);
      sink.doubles(values);
      return;
    }
    writeNumbers(values.length, 0, k -> values[k]);
  }

  /** A matrix in the form it has; a compressed one in text is written as a full one. */
  public void writeMatrix(GeneralMatrix matrix) {
    switch (matrix) {
      case SparseMatrix sparse -> writeSparse(sparse);
      case CompressedMatrix compressed -> {
        if (binary) {
          writeCompressed(compressed);
        } else {
          writeFull(compressed.toMatrix());
        }
      }
      case Matrix full -> writeFull(full);
    }
  }

  private void writeFull(Matrix matrix) {
    if (binary) {
      writeToken("FM");
      writeInt(matrix.rows());
      writeInt(matrix.cols());
      sink.floats(matrix.data());
      return;
    }
    writeNumbers(matrix.data().length, matrix.cols(), k -> matrix.data()[k]);
  }

  /** A matrix of doubles. */
  public void writeDoubleMatrix(DoubleMatrix matrix) {
    if (binary) {
      writeToken("DM");
      writeInt(matrix.rows());
      writeInt(matrix.cols());
      sink.doubles(matrix.data());
      return;
    }
    writeNumbers(matrix.data().length, matrix.cols(), k -> matrix.data()[k]);
  }

  private void writeCompressed(CompressedMatrix matrix) {
    boolean empty = matrix.rows() == 0;
    writeToken(empty ? CompressedMatrix.Format.BENT_BYTES.token : matrix.format().token);
    sink.littleEndian(empty ? 0 : Float.floatToRawIntBits(matrix.smallest()), Float.BYTES);
    sink.littleEndian(empty ? 0 : Float.floatToRawIntBits(matrix.range()), Float.BYTES);
    sink.littleEndian(matrix.rows(), Integer.BYTES);
    sink.littleEndian(matrix.cols(), Integer.BYTES);
    writeBytes(matrix.data());
  }

  private void writeSparse(SparseMatrix matrix) {
    if (binary) {
      writeToken("SM");
      writeInt(matrix.rows());
    } else {
      writeText("rows=" + matrix.rows() + " ");
    }
    matrix.vectors().forEach(this::writeSparseVector);
    endLine();
  }

  /** A vector of which only some elements are kept. */
  public void writeSparseVector(SparseVector vector) {
    int[] indices = vector.indices();
    if (binary) {
      writeToken("SV");
      writeInt(vector.dim());
      writeInt(indices.length);
    } else {
      writeText("dim=" + vector.dim() + " [ ");
    }
    for (int k = 0; k < indices.length; k++) {
      writeInt(indices[k]);
      writeFloat(vector.values()[k]);
    }
    writeText(binary ? "" : "] ");
  }

  /**
   * Numbers as text.
   *
   * @param columns of a matrix, whose rows have lines; 0 for a vector
   */
  private void writeNumbers(int count, int columns, IntToDoubleFunction value) {
    var text = new StringBuilder(columns == 0 ? " [ " : " [");
    for (int k = 0; k < count; k++) {
      text.append(columns > 0 && k % columns == 0 ? "\n  " : "");
      FloatText.append(text, value.applyAsDouble(k), digits);
      flush(text.append(' '));
    }
    writeText(text.append("]\n").toString());
  }

  private void flush(StringBuilder text) {
    if (text.length() > 1 << 13) {
      writeText(text.toString());
      text.setLength(0);
    }
  }
}
