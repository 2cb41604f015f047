package ristretto.nnet3.matrix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A matrix with one or two bytes per element, which encode numbers from a smallest value to that
 * value plus a range.
 */
public final class CompressedMatrix implements GeneralMatrix {
  private static final int COLUMN_HEADER = 4 * Short.BYTES;
  private static final float SHORT_STEP = 1.52590218966964e-05F;

  private final Format format;
  private final float smallest;
  private final float range;
  private final int rows;
  private final int cols;
  private final byte[] data;

  /** Storage format of the elements. */
  public enum Format {
    /**
     * One byte, column-major, on a piecewise linear scale through the minimum, quartiles and
     * maximum of the column.
     */
    BENT_BYTES("CM", 1),
    /** Two bytes, row-major. */
    SHORTS("CM2", 2),
    /** One byte, row-major. */
    BYTES("CM3", 1);

    /** Word that begins such a matrix in a file. */
    public final String token;

    final int size;

    Format(String token, int size) {
      this.token = token;
      this.size = size;
    }

    /** Size of a matrix in bytes, including column headers. */
    public long bytes(int rows, int cols) {
      return (long) rows * cols * size + (this == BENT_BYTES ? (long) cols * COLUMN_HEADER : 0);
    }
  }

  /** Choice of a format and of the range of its numbers. */
  public enum Method {
    /** {@link #SPEECH_FEATURE} for more than 8 rows, else {@link #TWO_BYTES}. */
    AUTOMATIC(null, 0, 0),
    /** One byte, for features whose columns have roughly Gaussian distributions. */
    SPEECH_FEATURE(Format.BENT_BYTES, 0, 0),
    /** Two bytes, from the smallest to the largest element. */
    TWO_BYTES(Format.SHORTS, 0, 0),
    /** Two bytes, from -32768 to 32767. */
    TWO_BYTE_INTEGERS(Format.SHORTS, -32768, 65535),
    /** One byte, from the smallest to the largest element. */
    ONE_BYTE(Format.BYTES, 0, 0),
    /** One byte, from 0 to 255. */
    ONE_BYTE_INTEGERS(Format.BYTES, 0, 255),
    /** One byte, from 0 to 1. */
    ONE_BYTE_ZERO_TO_ONE(Format.BYTES, 0, 1);

    private static final int FEW_ROWS = 8;

    final Format format;

    /** Smallest number; not used if the range is 0. */
    public final float smallest;

    /** Range of the numbers; 0 to take that of the elements. */
    public final float range;

    Method(Format format, float smallest, float range) {
      this.format = format;
      this.smallest = smallest;
      this.range = range;
    }

    Method forRows(int rows) {
      return this != AUTOMATIC ? this : rows > FEW_ROWS ? SPEECH_FEATURE : TWO_BYTES;
    }
  }

  /** Compresses a matrix, whose elements must be finite. */
  public static CompressedMatrix of(Matrix matrix, Method method) {
    return Compress.apply(matrix, method);
  }

  /**
   * Creates a matrix from compressed elements.
   *
   * @param smallest number that the smallest code stands for
   * @param range difference of the numbers that the largest and the smallest code stand for
   * @param data column headers, if the format has them, and codes, as in a file
   */
  public CompressedMatrix(
      Format format, float smallest, float range, int rows, int cols, byte[] data) {
    this.format = format;
    this.smallest = smallest;
    this.range = range;
    this.rows = rows;
    this.cols = cols;
    this.data = data;
  }

  /** Storage format of the elements. */
  public Format format() {
    return format;
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public int cols() {
    return cols;
  }

  /** Number that the smallest code stands for. */
  public float smallest() {
    return smallest;
  }

  /** Difference of the numbers that the largest and the smallest code stand for. */
  public float range() {
    return range;
  }

  /**
   * Encoded elements, little-endian, after the headers of all columns if the format has headers;
   * not a copy.
   */
  public byte[] data() {
    return data;
  }

  @Override
  public Matrix toMatrix() {
    var to = new Matrix(rows, cols);
    ByteBuffer from = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    float[] elements = to.data();
    switch (format) {
      case BENT_BYTES -> unbend(from, elements);
      case SHORTS -> {
        float step = (float) (range * (1.0 / 65535.0));
        for (int k = 0; k < elements.length; k++) {
          elements[k] = smallest + (from.getShort(2 * k) & 0xffff) * step;
        }
      }
      case BYTES -> {
        float step = (float) (range * (1.0 / 255.0));
        for (int k = 0; k < elements.length; k++) {
          elements[k] = smallest + (data[k] & 0xff) * step;
        }
      }
    }
    return to;
  }

  private void unbend(ByteBuffer from, float[] to) {
    int at = cols * COLUMN_HEADER;
    for (int c = 0; c < cols; c++) {
      var scale = new float[4];
      for (int k = 0; k < 4; k++) {
        scale[k] = number(smallest, range, from.getShort(c * COLUMN_HEADER + 2 * k) & 0xffff);
      }
      for (int r = 0; r < rows; r++) {
        to[r * cols + c] = unbent(scale, data[at++] & 0xff);
      }
    }
  }

  static float number(float smallest, float range, int value) {
    return smallest + range * SHORT_STEP * value;
  }

  private static float unbent(float[] p, int value) {
    if (value <= 64) {
      return (float) (p[0] + (p[1] - p[0]) * value * (1 / 64.0));
    }
    if (value <= 192) {
      return (float) (p[1] + (p[2] - p[1]) * (value - 64) * (1 / 128.0));
    }
    return (float) (p[2] + (p[3] - p[2]) * (value - 192) * (1 / 63.0));
  }

  @Override
  public CompressedMatrix scaled(float factor) {
    return new CompressedMatrix(format, smallest * factor, range * factor, rows, cols, data);
  }

  @Override
  public Matrix select(int[] wanted) {
    return toMatrix().select(wanted);
  }

  /** Selects rows by index, without decoding their elements. */
  public CompressedMatrix rows(int[] wanted) {
    var to = new byte[Math.toIntExact(format.bytes(wanted.length, cols))];
    for (int row : wanted) {
      MatrixDimensions.at(row, 0, rows, Math.max(cols, 1));
    }
    if (format == Format.BENT_BYTES) {
      int headers = cols * COLUMN_HEADER;
      System.arraycopy(data, 0, to, 0, headers);
      for (int c = 0; c < cols; c++) {
        for (int r = 0; r < wanted.length; r++) {
          to[headers + c * wanted.length + r] = data[headers + c * rows + wanted[r]];
        }
      }
    } else {
      int width = cols * format.size;
      for (int r = 0; r < wanted.length; r++) {
        System.arraycopy(data, wanted[r] * width, to, r * width, width);
      }
    }
    return new CompressedMatrix(format, smallest, range, wanted.length, cols, to);
  }

  @Override
  public String toString() {
    return "CompressedMatrix[" + rows + "x" + cols + ", " + format + "]";
  }
}
