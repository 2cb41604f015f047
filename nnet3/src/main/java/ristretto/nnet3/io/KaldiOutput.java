package ristretto.nnet3.io;

import java.io.ByteArrayOutputStream;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntToDoubleFunction;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.matrix.CompressedMatrix;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;

/**
 * Writes a Kaldi file, text or binary. Text has 7 significant digits, so that not all floats are
 * read back exactly; see {@link #exactText}.
 */
public final class KaldiOutput {
  /** Significant digits that Kaldi prints, too few to distinguish all floats. */
  private static final int DIGITS = 7;

  private static final int MOST_DIGITS = 9;

  private final ByteSink sink;
  private boolean binary;
  private int digits = DIGITS;

  KaldiOutput(ByteSink sink) {
    this.sink = sink;
  }

  /**
   * Writes a Kaldi wxfilename: the path of a file, {@code -} for standard output, or {@code |
   * command} for the input of a shell command. A file is written under a temporary name and renamed
   * at the end, so that either the old or the complete new file exists.
   */
  public static void write(String wxfilename, boolean binary, Consumer<KaldiOutput> content) {
    write(wxfilename, binary, true, content);
  }

  /** Writes a file like {@link #write}; without a header, the content must begin with its own. */
  static void write(
      String wxfilename, boolean binary, boolean header, Consumer<KaldiOutput> content) {
    try (ByteSink sink = Wxfilename.of(wxfilename).open()) {
      var out = new KaldiOutput(sink);
      out.header(binary, header);
      content.accept(out);
      sink.commit();
    }
  }

  /** Returns the bytes that would be written to a file. */
  public static byte[] bytes(boolean binary, Consumer<KaldiOutput> content) {
    var to = new ByteArrayOutputStream();
    try (var sink = ByteSink.inMemory(to)) {
      var out = new KaldiOutput(sink);
      out.header(binary, true);
      content.accept(out);
      sink.commit();
    }
    return to.toByteArray();
  }

  /**
   * Sets the mode and writes the header of an object, unless it has one of its own; each object of
   * an archive has one.
   */
  void header(boolean isBinary, boolean written) {
    binary = isBinary;
    if (binary && written) {
      sink.put(0);
      sink.put('B');
    }
  }

  /** Returns true in binary mode. */
  public boolean binary() {
    return binary;
  }

  /** Writes 9 digits in text mode from now on, enough for floats to be read back exactly. */
  public KaldiOutput exactText() {
    digits = MOST_DIGITS;
    return this;
  }

  /** Writes a token and a space. */
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
   * Writes characters in UTF-8, in both modes; bytes that were read and are not UTF-8 are written
   * unchanged.
   */
  public void writeText(String text) {
    writeBytes(ByteText.encode(text));
  }

  /** Writes bytes unchanged, in both modes. */
  public void writeBytes(byte[] bytes) {
    sink.put(bytes, 0, bytes.length);
  }

  /** Writes a line end in text mode, nothing in binary mode. */
  public void endLine() {
    if (!binary) {
      sink.put('\n');
    }
  }

  /**
   * Writes a little-endian integer of up to 8 bytes without its size before it, in both modes.
   * Files of OpenFst have such integers.
   */
  public void writeRaw(long value, int bytes) {
    sink.littleEndian(value, bytes);
  }

  /** Writes a 32-bit integer. */
  public void writeInt(int value) {
    if (binary) {
      sink.put(Integer.BYTES);
      sink.littleEndian(value, Integer.BYTES);
    } else {
      writeText(value + " ");
    }
  }

  /** Writes a number of single precision. */
  public void writeFloat(float value) {
    if (binary) {
      sink.put(Float.BYTES);
      sink.littleEndian(Float.floatToRawIntBits(value), Float.BYTES);
    } else {
      writeText(FloatText.of(value, digits) + " ");
    }
  }

  /** Writes a number of double precision. */
  public void writeDouble(double value) {
    if (binary) {
      sink.put(Double.BYTES);
      sink.littleEndian(Double.doubleToRawLongBits(value), Double.BYTES);
    } else {
      writeText(FloatText.of(value, digits) + " ");
    }
  }

  /** Writes {@code T} or {@code F}, in text mode with a space. */
  public void writeBool(boolean value) {
    sink.put(value ? 'T' : 'F');
    if (!binary) {
      sink.put(' ');
    }
  }

  /** Writes a vector of 32-bit integers. */
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

  /**
   * Writes a vector of integer pairs from an array in which the first and second elements
   * alternate.
   */
  public void writeIntPairs(int[] values) {
    if (values.length % 2 != 0) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[kaldi] pairs must have an even number of elements; got %d; add or remove one.",
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

  /** Writes a vector of floats. */
  public void writeVector(float[] values) {
    if (binary) {
      writeToken("FV");
      writeInt(values.length);
      sink.floats(values);
      return;
    }
    writeNumbers(values.length, 0, k -> values[k]);
  }

  /** Writes a vector of doubles. */
  public void writeDoubleVector(double[] values) {
    if (binary) {
      writeToken("DV");
      writeInt(values.length);
      sink.doubles(values);
      return;
    }
    writeNumbers(values.length, 0, k -> values[k]);
  }

  /** Writes a matrix in its own form; in text mode, a compressed one as a full one. */
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

  /** Writes a matrix of doubles. */
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

  /** Writes a sparse vector. */
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
   * Writes numbers as text in brackets.
   *
   * @param columns number of columns of a matrix, with one line per row; 0 for a vector
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
