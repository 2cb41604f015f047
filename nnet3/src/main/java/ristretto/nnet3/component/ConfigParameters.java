package ristretto.nnet3.component;

import java.util.Arrays;
import java.util.stream.Collectors;
import ristretto.kernels.RistrettoException;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.matrix.Matrix;

/** Parameters that config lines name: reading, checking and reshaping. */
public final class ConfigParameters {
  private ConfigParameters() {}

  /** Reads the matrix in the file that the key {@code matrix} names; the matrix must have rows. */
  public static Matrix read(ConfigLine line) {
    String file = line.file("matrix");
    try (KaldiInput in = KaldiInput.open(file)) {
      Matrix matrix = in.readMatrix();
      if (matrix.rows() > 0) {
        return matrix;
      }
    } catch (RistrettoException e) {
      throw line.error("matrix", "matrix must name a file with a matrix (" + e.getMessage() + ")");
    }
    throw line.error("matrix", "matrix must name a file with a matrix that has rows");
  }

  /** Reads the vector in the file that a key names. */
  public static float[] readVector(ConfigLine line, String key) {
    String file = line.file(key);
    try (KaldiInput in = KaldiInput.open(file)) {
      float[] vector = in.readVector();
      if (vector.length > 0) {
        return vector;
      }
    } catch (RistrettoException e) {
      throw line.error(key, key + " must name a file with a vector (" + e.getMessage() + ")");
    }
    throw line.error(key, key + " must name a file with a vector that has elements");
  }

  /** Refuses a dimension that differs from that of parameters read from a file. */
  public static void agree(ConfigLine line, String key, int dim) {
    if (line.has(key) && line.integer(key) != dim) {
      throw line.error(key, key + " must be the dimension in the file, " + dim);
    }
  }

  public static Matrix withoutLastColumn(Matrix both) {
    var rest = new Matrix(both.rows(), both.cols() - 1);
    for (int r = 0; r < both.rows(); r++) {
      System.arraycopy(both.data(), r * both.cols(), rest.data(), r * rest.cols(), rest.cols());
    }
    return rest;
  }

  public static float[] lastColumn(Matrix both) {
    var column = new float[both.rows()];
    for (int r = 0; r < both.rows(); r++) {
      column[r] = both.get(r, both.cols() - 1);
    }
    return column;
  }

  /** Returns a list of distinct integers, separated by commas. */
  public static int[] offsets(ConfigLine line, String key) {
    int[] all = line.integers(key);
    boolean separated = line.string(key).matches("[^:,]+(,[^:,]+)*");
    if (!separated || Arrays.stream(all).distinct().count() != all.length) {
      throw line.error(key, key + " must be distinct comma-separated whole numbers");
    }
    return all;
  }

  public static String join(String between, int... values) {
    return Arrays.stream(values).mapToObj(Integer::toString).collect(Collectors.joining(between));
  }

  public static float[] repeat(float[] values, int times) {
    var all = new float[Math.multiplyExact(values.length, times)];
    for (int i = 0; i < times; i++) {
      System.arraycopy(values, 0, all, i * values.length, values.length);
    }
    return all;
  }
}
