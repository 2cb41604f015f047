package ristretto.nnet3.component;

import java.util.Arrays;
import java.util.stream.Collectors;
import ristretto.kernels.RistrettoException;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.Matrix;

/** Parameters that config lines name: reading, checking and reshaping. */
final class Parameters {
  private Parameters() {}

  /** Reads the matrix in the file that the key {@code matrix} names; the matrix must have rows. */
  static Matrix read(ConfigLine line) {
    String file = line.file("matrix");
    try (KaldiInput in = KaldiInput.open(file)) {
      Matrix matrix = in.readMatrix();
      if (matrix.rows() > 0) {
        return matrix;
      }
    } catch (RistrettoException e) {
      throw line.error("matrix", "matrix must name a file that holds one (" + e.getMessage() + ")");
    }
    throw line.error("matrix", "matrix must name a file with a matrix that has rows");
  }

  /** Reads the vector in the file that a key names. */
  static float[] readVector(ConfigLine line, String key) {
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
  static void agree(ConfigLine line, String key, int dim) {
    if (line.has(key) && line.integer(key) != dim) {
      throw line.error(key, key + " must be that of the file, " + dim);
    }
  }

  static Matrix withoutLastColumn(Matrix both) {
    var rest = new Matrix(both.rows(), both.cols() - 1);
    for (int r = 0; r < both.rows(); r++) {
      System.arraycopy(both.data(), r * both.cols(), rest.data(), r * rest.cols(), rest.cols());
    }
    return rest;
  }

  static float[] lastColumn(Matrix both) {
    var column = new float[both.rows()];
    for (int r = 0; r < both.rows(); r++) {
      column[r] = both.get(r, both.cols() - 1);
    }
    return column;
  }

  /** Returns a list of distinct integers, separated by commas. */
  static int[] offsets(ConfigLine line, String key) {
    int[] all = line.integers(key);
    boolean separated = line.string(key).matches("[^:,]+(,[^:,]+)*");
    if (!separated || Arrays.stream(all).distinct().count() != all.length) {
      throw line.error(key, key + " must be different whole numbers with commas between them");
    }
    return all;
  }

  static String join(String between, int... values) {
    return Arrays.stream(values).mapToObj(Integer::toString).collect(Collectors.joining(between));
  }

  static float[] repeat(float[] values, int times) {
    var all = new float[Math.multiplyExact(values.length, times)];
    for (int i = 0; i < times; i++) {
      System.arraycopy(values, 0, all, i * values.length, values.length);
    }
    return all;
  }
}
