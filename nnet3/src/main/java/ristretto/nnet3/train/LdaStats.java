package ristretto.nnet3.train;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;
import ristretto.nnet3.matrix.Matrix;

/**
 * Statistics for linear discriminant analysis: weight and sum of rows of each class, and the sum of
 * outer products over all classes. Files have the format of Kaldi's acc-lda, where the outer
 * products are within classes.
 */
public final class LdaStats {
  private final int classes;
  private final int dim;
  private final double[] counts;
  private final double[][] sums;

  /** Lower triangle of the outer products, row by row. */
  private final double[] products;

  /** Creates empty statistics for rows of {@code dim} columns. */
  public LdaStats(int classes, int dim) {
    this.classes = classes;
    this.dim = dim;
    this.counts = new double[classes];
    this.sums = new double[classes][dim];
    this.products = new double[Math.toIntExact(dim * (dim + 1L) / 2)];
  }

  /** Returns the number of columns. */
  public int dim() {
    return dim;
  }

  /** Returns the number of classes. */
  public int classes() {
    return classes;
  }

  /** Returns the sum of weights. */
  public double count() {
    return Arrays.stream(counts).sum();
  }

  /**
   * Adds a row.
   *
   * @param data array with the row
   * @param at offset of the row's {@code dim} numbers
   * @param row class of the row
   */
  public void accept(float[] data, int at, int row, double weight) {
    counts[row] += weight;
    double[] sum = sums[row];
    for (int i = 0; i < dim; i++) {
      sum[i] += weight * data[at + i];
    }
    addProduct(products, data, at, weight);
  }

  private void addProduct(double[] to, float[] data, int at, double weight) {
    int k = 0;
    for (int i = 0; i < dim; i++) {
      double scaled = weight * data[at + i];
      for (int j = 0; j <= i; j++) {
        to[k++] += scaled * data[at + j];
      }
    }
  }

  private void addProduct(double[] to, double[] row, double weight) {
    int k = 0;
    for (int i = 0; i < dim; i++) {
      double scaled = weight * row[i];
      for (int j = 0; j <= i; j++) {
        to[k++] += scaled * row[j];
      }
    }
  }

  /**
   * Adds other statistics.
   *
   * @throws ShapeException if their numbers of classes or columns differ
   */
  public void add(LdaStats other) {
    if (other.classes != classes || other.dim != dim) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[lda] statistics to add must have the same numbers of classes and columns; got %d"
                  + " and %d with %d and %d; take others.",
              other.classes,
              other.dim,
              classes,
              dim));
    }
    for (int c = 0; c < classes; c++) {
      counts[c] += other.counts[c];
      for (int i = 0; i < dim; i++) {
        sums[c][i] += other.sums[c][i];
      }
    }
    for (int k = 0; k < products.length; k++) {
      products[k] += other.products[k];
    }
  }

  /** Mean of all rows. */
  double[] mean() {
    var mean = new double[dim];
    double all = count();
    for (double[] sum : sums) {
      for (int i = 0; i < dim; i++) {
        mean[i] += sum[i] / all;
      }
    }
    return mean;
  }

  /** Covariance of all rows. */
  double[][] covariance() {
    double all = count();
    var packed = new double[products.length];
    for (int k = 0; k < packed.length; k++) {
      packed[k] = products[k] / all;
    }
    addProduct(packed, mean(), -1);
    return square(packed);
  }

  /** Covariance of the class means. */
  double[][] between() {
    var packed = new double[products.length];
    addMeans(packed, 1 / count());
    addProduct(packed, mean(), -1);
    return square(packed);
  }

  /** Adds the outer products of the class means, each times the weight of its class. */
  private void addMeans(double[] to, double factor) {
    for (int c = 0; c < classes; c++) {
      if (counts[c] != 0) {
        addProduct(to, sums[c], factor / counts[c]);
      }
    }
  }

  private double[][] square(double[] packed) {
    var full = new double[dim][dim];
    int k = 0;
    for (int i = 0; i < dim; i++) {
      for (int j = 0; j <= i; j++) {
        full[i][j] = full[j][i] = packed[k++];
      }
    }
    return full;
  }

  /** Writes the statistics to a file. */
  public void save(String wxfilename, boolean binary) {
    KaldiOutput.write(wxfilename, binary, this::write);
  }

  private void write(KaldiOutput out) {
    out.writeToken("<LDAACCS>");
    out.writeToken("<VECSIZE>");
    out.writeInt(dim);
    out.writeToken("<NUMCLASSES>");
    out.writeInt(classes);
    out.writeToken("<ZERO_ACCS>");
    out.writeVector(singles(counts));
    out.writeToken("<FIRST_ACCS>");
    var first = new Matrix(classes, dim);
    for (int c = 0; c < classes; c++) {
      System.arraycopy(singles(sums[c]), 0, first.data(), c * dim, dim);
    }
    out.writeMatrix(first);
    out.writeToken("<SECOND_ACCS>");
    double[] within = products.clone();
    addMeans(within, -1);
    writePacked(out, singles(within));
    out.writeToken("</LDAACCS>");
  }

  private void writePacked(KaldiOutput out, float[] packed) {
    if (out.binary()) {
      out.writeToken("FP");
      out.writeInt(dim);
      var bytes = ByteBuffer.allocate(packed.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      bytes.asFloatBuffer().put(packed);
      out.writeBytes(bytes.array());
      return;
    }
    out.writeText("[");
    int k = 0;
    for (int i = 0; i < dim; i++) {
      out.endLine();
      for (int j = 0; j <= i; j++) {
        out.writeFloat(packed[k++]);
      }
    }
    out.writeText("]");
    out.endLine();
  }

  /** Reads a file written by {@link #save} or by Kaldi's acc-lda. */
  public static LdaStats load(String rxfilename) {
    try (KaldiInput in = KaldiInput.open(rxfilename)) {
      in.expectToken("<LDAACCS>");
      in.expectToken("<VECSIZE>");
      int dim = in.readInt();
      in.expectToken("<NUMCLASSES>");
      int classes = in.readInt();
      if (dim < 1 || classes < 1) {
        throw in.malformed(
            in.offset(),
            "statistics must be of at least one class and column",
            classes + " and " + dim);
      }
      in.expectToken("<ZERO_ACCS>");
      float[] counts = in.readVector();
      in.expectToken("<FIRST_ACCS>");
      Matrix first = in.readMatrix();
      if (counts.length != classes || first.rows() != classes || first.cols() != dim) {
        throw in.malformed(
            in.offset(),
            String.format(
                Locale.ROOT, "statistics must be of %d classes and %d columns", classes, dim),
            String.format(
                Locale.ROOT,
                "%d counts and %d rows of %d",
                counts.length,
                first.rows(),
                first.cols()));
      }
      var stats = new LdaStats(classes, dim);
      for (int c = 0; c < classes; c++) {
        stats.counts[c] = counts[c];
        for (int i = 0; i < dim; i++) {
          stats.sums[c][i] = first.get(c, i);
        }
      }
      in.expectToken("<SECOND_ACCS>");
      stats.readPacked(in);
      stats.addMeans(stats.products, 1);
      in.expectToken("</LDAACCS>");
      return stats;
    }
  }

  private void readPacked(KaldiInput in) {
    if (!in.binary()) {
      in.expectToken("[");
    } else {
      in.expectToken("FP");
      int rows = in.readInt();
      if (rows != dim) {
        throw in.malformed(
            in.offset(),
            String.format(Locale.ROOT, "<SECOND_ACCS> must have %d rows", dim),
            "" + rows);
      }
    }
    for (int k = 0; k < products.length; k++) {
      products[k] = in.binary() ? rawFloat(in) : in.readFloat();
    }
    if (!in.binary()) {
      in.expectToken("]");
    }
  }

  private static float rawFloat(KaldiInput in) {
    int bits = 0;
    for (int k = 0; k < Float.BYTES; k++) {
      bits |= (in.readByte() & 0xff) << (8 * k);
    }
    return Float.intBitsToFloat(bits);
  }

  private static float[] singles(double[] values) {
    var all = new float[values.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = (float) values[i];
    }
    return all;
  }
}
