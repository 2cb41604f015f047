package ristretto.nnet3.io;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A matrix of one or two bytes an element, which stand for numbers between a smallest one and that
 * plus a range.
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

  /** How elements are kept. */
  public enum Format {
    /** One byte, by column, on a scale that four numbers of the column's distribution bend. */
    BENT_BYTES("CM", 1),
    /** Two bytes, by row. */
    SHORTS("CM2", 2),
    /** One byte, by row. */
    BYTES("CM3", 1);

    final String token;
    final int size;

    Format(String token, int size) {
      this.token = token;
      this.size = size;
    }

    /** Bytes of a matrix's elements, its columns' headers included. */
    long bytes(int rows, int cols) {
      return (long) rows * cols * size + (this == BENT_BYTES ? (long) cols * COLUMN_HEADER : 0);
    }
  }

  /** How to choose a format, and the range of its numbers. */
  public enum Method {
    /** {@link #SPEECH_FEATURE} for more than 8 rows, else {@link #TWO_BYTES}. */
    AUTOMATIC(null, 0, 0),
    /** For features whose columns are distributed like Gaussians. */
    SPEECH_FEATURE(Format.BENT_BYTES, 0, 0),
    /** From the smallest to the largest element. */
    TWO_BYTES(Format.SHORTS, 0, 0),
    /** From -32768 to 32767. */
    TWO_BYTE_INTEGERS(Format.SHORTS, -32768, 65535),
    /** From the smallest to the largest element. */
    ONE_BYTE(Format.BYTES, 0, 0),
    /** From 0 to 255. */
    ONE_BYTE_INTEGERS(Format.BYTES, 0, 255),
    /** From 0 to 1. */
    ONE_BYTE_ZERO_TO_ONE(Format.BYTES, 0, 1);

    private static final int FEW_ROWS = 8;

    final Format format;
    final float smallest;

    /** 0 where the elements tell. */
    final float range;

    Method(Format format, float smallest, float range) {
      this.format = format;
      this.smallest = smallest;
      this.range = range;
    }

    Method forRows(int rows) {
      return this != AUTOMATIC ? this : rows > FEW_ROWS ? SPEECH_FEATURE : TWO_BYTES;
    }
  }

  /** Rounds elements, which must be finite. */
  public static CompressedMatrix of(Matrix matrix, Method method) {
    return Compress.apply(matrix, method);
  }

  CompressedMatrix(Format format, float smallest, float range, int rows, int cols, byte[] data) {
    this.format = format;
    this.smallest = smallest;
    this.range = range;
    this.rows = rows;
    this.cols = cols;
    this.data = data;
  }

  /** How elements are kept. */
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

  float smallest() {
    return smallest;
  }

  float range() {
    return range;
  }

  /** Little-endian, with the headers of all columns before the elements. */
  byte[] data() {
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

  /** Rows by their numbers, with the elements as they are. */
  public CompressedMatrix rows(int[] wanted) {
    var to = new byte[Math.toIntExact(format.bytes(wanted.length, cols))];
    for (int row : wanted) {
      Extents.at(row, 0, rows, Math.max(cols, 1));
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
