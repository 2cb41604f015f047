package ristretto.nnet3.io;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.nnet3.matrix.CompressedMatrix;
import ristretto.nnet3.matrix.DoubleMatrix;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.matrix.MatrixDimensions;
import ristretto.nnet3.matrix.SparseMatrix;
import ristretto.nnet3.matrix.SparseVector;

/** Reads matrices from a file. */
final class MatrixReader {
  /** Minimum size of a sparse row in bytes, in binary and in text mode. */
  private static final int SMALLEST_ROW = 13;

  private static final int SMALLEST_TEXT_ROW = 9;

  private final KaldiInput in;
  private final ByteSource source;
  private final TextScanner text;
  private final VectorReader vectors;

  private record Size(int rows, int cols) {
    int elements() {
      return rows * cols;
    }
  }

  MatrixReader(KaldiInput in, ByteSource source, TextScanner text) {
    this.in = in;
    this.source = source;
    this.text = text;
    this.vectors = new VectorReader(in, source, text);
  }

  GeneralMatrix generalMatrix() {
    int first = in.peek();
    if (in.binary() ? first == 'S' : first == 'r') {
      return sparseMatrix();
    }
    return in.binary() && first == 'C' ? compressedMatrix() : matrix();
  }

  Matrix matrix() {
    if (!in.binary()) {
      return textMatrix();
    }
    return switch (source.peek()) {
      case 'C' -> compressedMatrix().toMatrix();
      case 'D' -> {
        DoubleMatrix wide = doubleMatrix();
        var to = new Matrix(wide.rows(), wide.cols());
        for (int k = 0; k < to.data().length; k++) {
          to.data()[k] = (float) wide.data()[k];
        }
        yield to;
      }
      default -> {
        vectors.token("FM");
        Size size = size();
        long at = source.offset();
        float[] data = source.floats(size.elements(), of(size, "floats"));
        if (in.finite()) {
          for (int k = 0; k < data.length; k++) {
            in.checkFinite(data[k], at + (long) k * Float.BYTES);
          }
        }
        yield new Matrix(size.rows, size.cols, data);
      }
    };
  }

  DoubleMatrix doubleMatrix() {
    if (!in.binary() || source.peek() != 'D') {
      return in.binary() ? widened(matrix()) : textDoubleMatrix();
    }
    vectors.token("DM");
    Size size = size();
    long at = source.offset();
    double[] data = source.doubles(size.elements(), of(size, "doubles"));
    if (in.finite()) {
      for (int k = 0; k < data.length; k++) {
        in.checkFinite(data[k], at + (long) k * Double.BYTES);
      }
    }
    return new DoubleMatrix(size.rows, size.cols, data);
  }

  private static DoubleMatrix widened(Matrix narrow) {
    var to = new double[narrow.data().length];
    for (int k = 0; k < to.length; k++) {
      to[k] = narrow.data()[k];
    }
    return new DoubleMatrix(narrow.rows(), narrow.cols(), to);
  }

  private static String of(Size size, String elements) {
    return String.format(
        Locale.ROOT, "a matrix of %d rows of %d %s", size.rows, size.cols, elements);
  }

  private Size size() {
    long at = source.offset();
    int rows = in.readInt("the number of rows");
    return checked(at, rows, in.readInt("the number of columns"));
  }

  private Size checked(long at, int rows, int cols) {
    if (!MatrixDimensions.allowed(rows, cols) || (long) rows * cols > Integer.MAX_VALUE - 8) {
      throw source.malformed(
          at,
          String.format(
              Locale.ROOT,
              "a matrix must have rows and columns, or neither, and at most %d elements",
              Integer.MAX_VALUE - 8),
          String.format(Locale.ROOT, "%d rows and %d columns", rows, cols));
    }
    return new Size(rows, cols);
  }

  private CompressedMatrix compressedMatrix() {
    long at = source.offset();
    String token = in.readToken();
    CompressedMatrix.Format format =
        Arrays.stream(CompressedMatrix.Format.values())
            .filter(f -> f.token.equals(token))
            .findFirst()
            .orElseThrow(() ->
                source.malformed(
                    at, "the token CM, CM2 or CM3 must come next", TextScanner.quoted(token)));
    String what = "the header of a compressed matrix";
    long numbers = source.offset();
    float smallest = Float.intBitsToFloat((int) source.littleEndian(Float.BYTES, what));
    float range = Float.intBitsToFloat((int) source.littleEndian(Float.BYTES, what));
    in.checkFinite(smallest, numbers);
    in.checkFinite(range, numbers + Float.BYTES);
    long extents = source.offset();
    int rows = (int) source.littleEndian(Integer.BYTES, what);
    int cols = (int) source.littleEndian(Integer.BYTES, what);
    Size size = checked(extents, rows, cols);
    long bytes = format.bytes(rows, cols);
    if (bytes > Integer.MAX_VALUE - 8) {
      throw source.malformed(
          extents,
          String.format(
              Locale.ROOT, "a compressed matrix must have at most %d bytes", Integer.MAX_VALUE - 8),
          String.format(Locale.ROOT, "%d rows and %d columns", rows, cols));
    }
    byte[] data = source.bytes((int) bytes, of(size, "elements, " + token + ","));
    return new CompressedMatrix(format, smallest, range, rows, cols, data);
  }

  private Matrix textMatrix() {
    vectors.open("a matrix");
    var to = new float[16];
    int size = 0;
    var shape = new TextRows();
    while (shape.more(size)) {
      if (size == to.length) {
        to = Arrays.copyOf(to, 2 * size);
      }
      to[size++] = in.readFloat("an element or ']'");
    }
    return new Matrix(shape.rows, shape.cols, Arrays.copyOf(to, size));
  }

  private DoubleMatrix textDoubleMatrix() {
    vectors.open("a matrix");
    var to = new double[16];
    int size = 0;
    var shape = new TextRows();
    while (shape.more(size)) {
      if (size == to.length) {
        to = Arrays.copyOf(to, 2 * size);
      }
      long at = in.at();
      to[size] = text.longReal("an element or ']'");
      in.checkFinite(to[size++], at);
    }
    return new DoubleMatrix(shape.rows, shape.cols, Arrays.copyOf(to, size));
  }

  /** Counts rows, which end at line ends or semicolons, and requires equal row lengths. */
  private final class TextRows {
    int rows;
    int cols;
    private int before;

    /**
     * Returns true if another element follows the first {@code size}, or else takes the closing
     * bracket.
     */
    boolean more(int size) {
      while (true) {
        text.skipBlanks();
        int c = source.peek();
        if (c == '\n' || c == ';' || c == ']') {
          endRow(size);
        }
        if (c == ']') {
          vectors.close();
          return false;
        }
        if (c != '\n' && c != ';') {
          return true;
        }
        source.read();
      }
    }

    private void endRow(int size) {
      int length = size - before;
      if (length == 0) {
        return;
      }
      if (rows > 0 && length != cols) {
        throw source.malformed(
            source.offset(),
            "rows of a matrix must have one length",
            String.format(
                Locale.ROOT, "%d elements in row %d and %d in those before", length, rows, cols));
      }
      cols = length;
      rows++;
      before = size;
    }
  }

  private SparseMatrix sparseMatrix() {
    long at = in.at();
    int count;
    if (in.binary()) {
      vectors.token("SM");
      count = in.readInt("the number of rows");
    } else {
      count = assigned("rows=", "a sparse matrix");
    }
    if (count < 0) {
      throw source.malformed(at, "a sparse matrix must have 0 rows or more", count + " rows");
    }
    source.need(
        (long) count * (in.binary() ? SMALLEST_ROW : SMALLEST_TEXT_ROW),
        String.format(Locale.ROOT, "a sparse matrix of %d rows", count));
    List<SparseVector> rows = new ArrayList<>();
    for (int r = 0; r < count; r++) {
      long row = in.at();
      rows.add(sparseVector());
      int dim = rows.get(r).dim();
      if (dim != rows.get(0).dim()) {
        throw source.malformed(
            row,
            "rows of a sparse matrix must have one dimension",
            String.format(
                Locale.ROOT, "%d in row %d and %d in those before", dim, r, rows.get(0).dim()));
      }
    }
    return new SparseMatrix(rows);
  }

  SparseVector sparseVector() {
    return in.binary() ? binarySparseVector() : textSparseVector();
  }

  private SparseVector binarySparseVector() {
    vectors.token("SV");
    long at = source.offset();
    int dim = in.readInt("the dimension of a sparse vector");
    int count = in.readInt("the number of elements");
    if (count < 0 || count > dim) {
      throw source.malformed(
          at,
          "a sparse vector must have 0 elements or more, and at most its dimension",
          String.format(Locale.ROOT, "%d elements of dimension %d", count, dim));
    }
    source.need(10L * count, String.format(Locale.ROOT, "a sparse vector of %d elements", count));
    var indices = new int[16];
    var values = new float[16];
    for (int k = 0; k < count; k++) {
      if (k == indices.length) {
        indices = Arrays.copyOf(indices, 2 * k);
        values = Arrays.copyOf(values, 2 * k);
      }
      indices[k] = index(k == 0 ? -1 : indices[k - 1], dim);
      values[k] = in.readFloat("an element");
    }
    return new SparseVector(dim, Arrays.copyOf(indices, count), Arrays.copyOf(values, count));
  }

  private SparseVector textSparseVector() {
    long at = in.at();
    int dim = assigned("dim=", "a sparse vector");
    if (dim < 0) {
      throw source.malformed(
          at, "a sparse vector must have a dimension of 0 or more", "dim=" + dim);
    }
    vectors.open("the elements of a sparse vector");
    var indices = new int[16];
    var values = new float[16];
    int count = 0;
    while (in.peek() != ']') {
      if (count == indices.length) {
        indices = Arrays.copyOf(indices, 2 * count);
        values = Arrays.copyOf(values, 2 * count);
      }
      indices[count] = index(count == 0 ? -1 : indices[count - 1], dim);
      values[count++] = in.readFloat("an element");
    }
    source.read();
    return new SparseVector(dim, Arrays.copyOf(indices, count), Arrays.copyOf(values, count));
  }

  private int index(int last, int dim) {
    long at = in.at();
    int index = in.readInt("an index or ']'");
    if (index <= last || index >= dim) {
      throw source.malformed(
          at,
          String.format(
              Locale.ROOT,
              "indices of a sparse vector must ascend and stay below its dimension, %d",
              dim),
          last < 0
              ? Integer.toString(index)
              : String.format(Locale.ROOT, "%d after %d", index, last));
    }
    return index;
  }

  /** Reads the integer after {@code name}, which ends with an equals sign. */
  private int assigned(String name, String what) {
    long at = in.at();
    String word = text.word();
    if (word.startsWith(name)) {
      try {
        return Integer.parseInt(word.substring(name.length()));
      } catch (NumberFormatException e) {
        // refused below, like a word with another name
      }
    }
    throw source.malformed(
        at,
        "%s must begin with %s and a number".formatted(what, name),
        word.isEmpty() ? "the end" : TextScanner.quoted(word));
  }
}
