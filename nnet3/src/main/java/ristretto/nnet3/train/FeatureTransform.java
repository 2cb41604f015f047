package ristretto.nnet3.train;

import java.util.Locale;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.CholeskyDecomposition;
import org.apache.commons.math3.linear.EigenDecomposition;
import org.apache.commons.math3.linear.MatrixUtils;
import org.apache.commons.math3.linear.NonPositiveDefiniteMatrixException;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.linear.SingularValueDecomposition;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.matrix.Matrix;

/**
 * Linear transform of a network's input that sorts columns by class separation: like linear
 * discriminant analysis, but columns with little variance between classes are scaled down.
 *
 * @param matrix one row per output column; with an offset in its last column, if wanted
 * @param ratios variance between classes relative to that within, descending, for all rows
 */
@SuppressWarnings("ArrayRecordComponent")
public record FeatureTransform(Matrix matrix, double[] ratios) {
  private static final double SMOOTH = 1e-3;

  /**
   * Options, with Kaldi's names.
   *
   * @param dim number of rows to keep; all if not above 0
   * @param removeOffset true for an offset that makes the mean zero
   * @param withinClassFactor variance within classes that remains; 1 is linear discriminant
   *     analysis
   * @param maxSingularValue upper bound of the singular values; no bound if not above 0
   */
  public record Options(
      int dim, boolean removeOffset, double withinClassFactor, double maxSingularValue) {
    /** Kaldi's defaults. */
    public static final Options DEFAULT = new Options(-1, true, 0.001, 5);
  }

  /**
   * Returns the transform for statistics.
   *
   * @throws ShapeException if there are no rows, or fewer columns than rows to keep
   */
  public static FeatureTransform of(LdaStats stats, Options options) {
    int dim = stats.dim();
    int rows = options.dim > 0 ? options.dim : dim;
    if (rows > dim || !(stats.count() > 0)) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[lda] there must be rows, with at least as many columns as are kept; got a count of"
                  + " %s, %d columns and %d to keep; give more examples, or keep fewer.",
              stats.count(),
              dim,
              rows));
    }
    RealMatrix between = new Array2DRowRealMatrix(stats.between(), false);
    RealMatrix within = new Array2DRowRealMatrix(stats.covariance(), false).subtract(between);
    RealMatrix whiten = inverse(cholesky(within));
    RealMatrix whitened = whiten.multiply(between).multiply(whiten.transpose());
    var eigen = new EigenDecomposition(whitened.add(whitened.transpose()).scalarMultiply(0.5));
    double[] ratios = eigen.getRealEigenvalues();
    RealMatrix all = eigen.getVT().multiply(whiten);
    RealMatrix kept = all.getSubMatrix(0, rows - 1, 0, dim - 1);
    for (int i = 0; i < rows; i++) {
      double ratio = Math.max(0, ratios[i]);
      double scale = Math.sqrt((options.withinClassFactor + ratio) / (1 + ratio));
      kept.setRowVector(i, kept.getRowVector(i).mapMultiply(scale));
    }
    kept = limited(kept, options.maxSingularValue);
    return new FeatureTransform(matrix(kept, options.removeOffset ? stats.mean() : null), ratios);
  }

  private static RealMatrix cholesky(RealMatrix within) {
    try {
      return new CholeskyDecomposition(within, 1e-8, 1e-20).getL();
    } catch (NonPositiveDefiniteMatrixException _) {
      // Linearly dependent columns: adds a small multiple of the unit matrix.
      double smooth = SMOOTH * within.getTrace() / within.getRowDimension();
      for (int i = 0; i < within.getRowDimension(); i++) {
        within.addToEntry(i, i, smooth);
      }
      return new CholeskyDecomposition(within, 1e-8, 1e-20).getL();
    }
  }

  private static RealMatrix inverse(RealMatrix lower) {
    int n = lower.getRowDimension();
    var inverse = new Array2DRowRealMatrix(n, n);
    for (int column = 0; column < n; column++) {
      var unit = new ArrayRealVector(n);
      unit.setEntry(column, 1);
      MatrixUtils.solveLowerTriangularSystem(lower, unit);
      inverse.setColumnVector(column, unit);
    }
    return inverse;
  }

  private static RealMatrix limited(RealMatrix m, double most) {
    if (!(most > 0)) {
      return m;
    }
    var svd = new SingularValueDecomposition(m);
    double[] values = svd.getSingularValues();
    if (values[0] <= most) {
      return m;
    }
    for (int i = 0; i < values.length; i++) {
      values[i] = Math.min(most, values[i]);
    }
    return svd.getU().multiply(MatrixUtils.createRealDiagonalMatrix(values)).multiply(svd.getVT());
  }

  private static Matrix matrix(RealMatrix m, double[] mean) {
    int rows = m.getRowDimension();
    int dim = m.getColumnDimension();
    var to = new Matrix(rows, mean == null ? dim : dim + 1);
    for (int i = 0; i < rows; i++) {
      double offset = 0;
      for (int j = 0; j < dim; j++) {
        to.set(i, j, (float) m.getEntry(i, j));
        offset -= mean == null ? 0 : m.getEntry(i, j) * mean[j];
      }
      if (mean != null) {
        to.set(i, dim, (float) offset);
      }
    }
    return to;
  }
}
