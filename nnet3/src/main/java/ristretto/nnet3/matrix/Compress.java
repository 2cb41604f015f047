package ristretto.nnet3.matrix;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import ristretto.kernels.ShapeException;

/** Compresses a matrix to one or two bytes per element, with the same bits as Kaldi. */
final class Compress {
  /** Rounding offset, below one half so that ties are rounded down. */
  private static final double ROUNDING = 0.499;

  private static final int COLUMN_HEADER = 4 * Short.BYTES;

  /**
   * Number of rows below which a column's own elements are the points of its scale, not its
   * quartiles.
   */
  private static final int FEW_ROWS = 5;

  private final Matrix matrix;
  private final float smallest;
  private final float range;

  private Compress(Matrix matrix, float smallest, float range) {
    this.matrix = matrix;
    this.smallest = smallest;
    this.range = range;
  }

  static CompressedMatrix apply(Matrix matrix, CompressedMatrix.Method method) {
    if (matrix.rows() == 0) {
      return new CompressedMatrix(CompressedMatrix.Format.BENT_BYTES, 0, 0, 0, 0, new byte[0]);
    }
    CompressedMatrix.Method chosen = method.forRows(matrix.rows());
    var compress =
        chosen.range > 0 ? new Compress(matrix, chosen.smallest, chosen.range) : of(matrix);
    return new CompressedMatrix(
        chosen.format,
        compress.smallest,
        compress.range,
        matrix.rows(),
        matrix.cols(),
        compress.data(chosen.format));
  }

  /** Compression with the range from the smallest to the largest element, which must be finite. */
  private static Compress of(Matrix matrix) {
    float smallest = Float.POSITIVE_INFINITY;
    float largest = Float.NEGATIVE_INFINITY;
    for (float value : matrix.data()) {
      if (!Float.isFinite(value)) {
        throw new ShapeException(
            "[compress] elements must be finite; got %s; write the matrix as it is."
                .formatted(value));
      }
      smallest = Math.min(smallest, value);
      largest = Math.max(largest, value);
    }
    if (smallest == largest) {
      largest = (float) (smallest + (1.0 + Math.abs(smallest)));
    }
    return new Compress(matrix, smallest, largest - smallest);
  }

  private byte[] data(CompressedMatrix.Format format) {
    float[] from = matrix.data();
    var to = new byte[(int) format.bytes(matrix.rows(), matrix.cols())];
    ByteBuffer buffer = ByteBuffer.wrap(to).order(ByteOrder.LITTLE_ENDIAN);
    switch (format) {
      case BENT_BYTES -> bent(buffer);
      case SHORTS -> {
        for (int k = 0; k < from.length; k++) {
          buffer.putShort(2 * k, (short) number(from[k], 65535));
        }
      }
      case BYTES -> {
        for (int k = 0; k < from.length; k++) {
          to[k] = (byte) number(from[k], 255);
        }
      }
    }
    return to;
  }

  private int number(float value, int largest) {
    float part = (value - smallest) / range;
    return (int) (Math.clamp(part, 0f, 1f) * largest + ROUNDING);
  }

  private void bent(ByteBuffer to) {
    int rows = matrix.rows();
    int cols = matrix.cols();
    var column = new float[rows];
    for (int c = 0; c < cols; c++) {
      for (int r = 0; r < rows; r++) {
        column[r] = matrix.data()[r * cols + c];
      }
      int[] points = points(column.clone());
      var scale = new float[4];
      for (int k = 0; k < 4; k++) {
        to.putShort(c * COLUMN_HEADER + 2 * k, (short) points[k]);
        scale[k] = CompressedMatrix.number(smallest, range, points[k]);
      }
      for (int r = 0; r < rows; r++) {
        to.put(cols * COLUMN_HEADER + c * rows + r, (byte) bent(scale, column[r]));
      }
    }
  }

  /**
   * Returns the quantized minimum, first and third quartile, and maximum of a column, strictly
   * ascending; sorts the argument.
   */
  private int[] points(float[] column) {
    Arrays.sort(column);
    int rows = column.length;
    boolean few = rows < FEW_ROWS;
    int[] at = few ? new int[] {0, 1, 2, 3} : new int[] {0, rows / 4, 3 * (rows / 4), rows - 1};
    var points = new int[4];
    for (int k = 0; k < 4; k++) {
      int above = k == 0 ? 0 : points[k - 1] + 1;
      int point = at[k] < rows ? Math.max(number(column[at[k]], 65535), above) : above;
      // leaves larger numbers for the points that follow
      points[k] = Math.min(point, 65532 + k);
    }
    return points;
  }

  private static int bent(float[] p, float value) {
    if (value < p[1]) {
      return Math.clamp((int) ((value - p[0]) / (p[1] - p[0]) * 64 + 0.5), 0, 64);
    }
    if (value < p[2]) {
      return Math.clamp(64 + (int) ((value - p[1]) / (p[2] - p[1]) * 128 + 0.5), 64, 192);
    }
    return Math.clamp(192 + (int) ((value - p[2]) / (p[3] - p[2]) * 63 + 0.5), 192, 255);
  }
}
