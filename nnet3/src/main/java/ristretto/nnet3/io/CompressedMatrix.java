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
  public String toString() {
    return "CompressedMatrix[" + rows + "x" + cols + ", " + format + "]";
  }
}
