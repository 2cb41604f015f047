package ristretto.nnet3.component;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Comparator;
import java.util.TreeMap;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.EigenDecomposition;
import org.apache.commons.math3.linear.RealMatrix;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.matrix.Matrix;

/** Info line of a component, in the format that Kaldi's tools print and scripts parse. */
public final class InfoText {
  private static final int[] PERCENTILES = {0, 1, 2, 5, 10, 20, 50, 80, 90, 95, 98, 99, 100};

  private final StringBuilder text;
  private final TreeMap<Integer, Named> matrices = new TreeMap<>(Comparator.reverseOrder());

  /** Matrix whose norms were printed. */
  private record Named(String name, Matrix values) {}

  public InfoText(String start) {
    text = new StringBuilder(start);
  }

  public InfoText raw(String more) {
    text.append(more);
    return this;
  }

  public InfoText add(String key, Object value) {
    text.append(", ").append(key).append('=').append(value);
    return this;
  }

  public InfoText add(String key, int value) {
    return add(key, Integer.toString(value));
  }

  public InfoText add(String key, float value) {
    return add(key, number(value));
  }

  public InfoText add(String key, double value) {
    return add(key, number(value));
  }

  /** Adds a number unless it equals {@code usual}. */
  public InfoText unless(float usual, String key, float value) {
    return value == usual ? this : add(key, value);
  }

  /** Adds an integer unless it equals {@code usual}. */
  public InfoText unless(int usual, String key, int value) {
    return value == usual ? this : add(key, Integer.toString(value));
  }

  /** Adds the count with three significant digits. */
  public InfoText count(double count) {
    return add("count", FloatText.of(count, 3));
  }

  /** Adds minimum and maximum. */
  public InfoText range(String name, float[] values) {
    float least = Float.POSITIVE_INFINITY;
    float most = Float.NEGATIVE_INFINITY;
    for (float value : values) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    return add(name + "-min", least).add(name + "-max", most);
  }

  public static String number(double value) {
    return FloatText.of(value, 6);
  }

  /** Adds mean and standard deviation. */
  public InfoText stats(String name, float[] values) {
    float mean = mean(values);
    return add(
        name + "-{mean,stddev}",
        FloatText.of(mean, 4) + "," + FloatText.of(stddev(values, mean), 4));
  }

  /** Adds the root mean square. */
  public InfoText rms(String name, float[] values) {
    float rms = (float) Math.sqrt((float) sumOfSquares(values) / values.length);
    return add(name + "-rms", FloatText.of(rms, 4));
  }

  /** Adds the root mean square, and the norms of rows and columns. */
  public InfoText norms(String name, Matrix values) {
    rms(name, values.data());
    var rows = new double[values.rows()];
    var cols = new double[values.cols()];
    for (int r = 0; r < values.rows(); r++) {
      for (int c = 0; c < values.cols(); c++) {
        double v = values.data()[r * values.cols() + c];
        rows[r] += v * v;
        cols[c] += v * v;
      }
    }
    add(name + "-row-norms", summary(roots(rows)));
    add(name + "-col-norms", summary(roots(cols)));
    matrices.put(text.length(), new Named(name, values));
    return this;
  }

  /** Returns the text with singular values after the norms of each matrix. */
  String withSingularValues() {
    var all = new StringBuilder(text);
    matrices.forEach((place, matrix) ->
        all.insert(
            place,
            ", %s-singular-values=%s"
                .formatted(matrix.name, summary(singularValues(matrix.values)))));
    return all.toString();
  }

  /** Returns the singular values in descending order. */
  private static float[] singularValues(Matrix m) {
    var squares = new EigenDecomposition(products(m)).getRealEigenvalues();
    Arrays.sort(squares);
    var values = new float[squares.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) Math.sqrt(Math.max(0, squares[values.length - 1 - i]));
    }
    return values;
  }

  /** Returns the Gram matrix of the rows, or of the columns if there are fewer. */
  private static RealMatrix products(Matrix m) {
    var all = new Array2DRowRealMatrix(m.rows(), m.cols());
    for (int r = 0; r < m.rows(); r++) {
      for (int c = 0; c < m.cols(); c++) {
        all.setEntry(r, c, m.data()[r * m.cols() + c]);
      }
    }
    RealMatrix turned = all.transpose();
    return m.rows() <= m.cols() ? all.multiply(turned) : turned.multiply(all);
  }

  private static float[] roots(double[] squares) {
    var roots = new float[squares.length];
    for (int i = 0; i < roots.length; i++) {
      roots[i] = (float) Math.sqrt((float) squares[i]);
    }
    return roots;
  }

  public InfoText summarized(String key, float[] values) {
    return add(key, summary(values));
  }

  /**
   * Returns all values if there are fewer than 10, else percentiles, mean and standard deviation.
   */
  static String summary(float[] values) {
    var all = new StringBuilder();
    if (values.length < 10) {
      all.append("[ ");
      for (float value : values) {
        all.append(succinct(value)).append(' ');
      }
      return all.append(']').toString();
    }
    float[] sorted = values.clone();
    Arrays.sort(sorted);
    all.append("[percentiles(0,1,2,5 10,20,50,80,90 95,98,99,100)=(");
    for (int i = 0; i < PERCENTILES.length; i++) {
      int place = (int) ((long) (values.length - 1) * PERCENTILES[i] / 100);
      all.append(succinct(sorted[place]));
      if (i < PERCENTILES.length - 1) {
        all.append(i == 3 || i == 8 ? ' ' : ',');
      }
    }
    float mean = mean(values);
    return all.append("), mean=")
        .append(FloatText.of(mean, 3))
        .append(", stddev=")
        .append(FloatText.of(stddev(values, mean), 3))
        .append(']')
        .toString();
  }

  /** Formats a value with about two significant digits. */
  private static String succinct(float value) {
    float size = Math.abs(value);
    if (!(size >= 0.01f) || Float.isInfinite(value)) {
      return FloatText.of(value, 1);
    }
    int places = size < 10000 && size >= 10 ? 0 : size >= 0.995 ? 1 : 2;
    return new BigDecimal(value).setScale(places, RoundingMode.HALF_EVEN).toPlainString();
  }

  private static float mean(float[] values) {
    double sum = 0;
    for (float value : values) {
      sum += value;
    }
    return (float) sum / values.length;
  }

  private static float stddev(float[] values, float mean) {
    return (float) Math.sqrt((float) sumOfSquares(values) / values.length - mean * mean);
  }

  private static double sumOfSquares(float[] values) {
    double sum = 0;
    for (float value : values) {
      sum += (double) value * value;
    }
    return sum;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
