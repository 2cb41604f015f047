package ristretto.nnet3.train;

import java.util.Arrays;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.CholeskyDecomposition;
import org.apache.commons.math3.linear.MatrixUtils;
import org.apache.commons.math3.linear.NonPositiveDefiniteMatrixException;
import org.apache.commons.math3.linear.RealMatrix;
import ristretto.kernels.cpu.blas.SymmetricEigen;
import ristretto.nnet3.ComputationException;

/**
 * Small factors of an estimated Fisher matrix F = R' diag(d) R + rho I of rows with {@code dim}
 * columns, where R has {@code d.length} orthonormal rows. The device keeps W = E^0.5 R, with E the
 * diagonal matrix of {@link #e}; computations of rank by rank are in double precision.
 *
 * <p>Source: Povey, Zhang, Khudanpur, "Parallel training of DNNs with natural gradient and
 * parameter averaging", 2015, appendix B.
 *
 * @param rho the smallest eigenvalue
 * @param d differences of the other eigenvalues to rho
 */
record FisherFactor(NaturalGradient.Options options, int dim, double rho, double[] d) {
  private static final double WORST_CONDITION = 1e6;
  private static final double ORTHONORMAL = 1e-3;

  /** Returns the estimate before any data: a multiple of the unit matrix. */
  static FisherFactor initial(NaturalGradient.Options options, int dim, int rank) {
    double[] d = new double[rank];
    Arrays.fill(d, options.epsilon());
    return new FisherFactor(options, dim, options.epsilon(), d);
  }

  private int rank() {
    return d.length;
  }

  private double sum() {
    return Arrays.stream(d).sum();
  }

  /** Returns 1 / (beta / d + 1), with beta the smoothed smallest eigenvalue. */
  double[] e() {
    double beta = rho * (1 + options.alpha()) + options.alpha() * sum() / dim;
    return Arrays.stream(d).map(x -> 1 / (beta / x + 1)).toArray();
  }

  /**
   * Result of an update by a matrix X.
   *
   * @param factor the new estimate
   * @param left the new W is {@code left (J + diag(scale) W)}
   * @param reorthogonalize true if rounding may have made W's rows far from orthogonal
   */
  record Next(FisherFactor factor, double[][] left, double[] scale, boolean reorthogonalize) {}

  /**
   * Updates the estimate by a matrix X. With H = X W' and J = H' X:
   *
   * @param rows number of rows of X
   * @param l H' H
   * @param k J J'
   * @param trace trace of X X'
   */
  Next next(int rows, double[][] l, double[][] k, double trace) {
    int r = rank();
    double eta = options.eta(rows);
    double share = eta / rows;
    double[] e = e();
    double[][] z = problem(rows, l, k);
    double size = 0;
    for (int i = 0; i < r; i++) {
      size += z[i][i];
    }
    // Elements are of the order of the data's fourth power: scaled against overflow.
    size = Math.max(1, size);
    SymmetricEigen eigen = eigen(z, size);
    double[] c = eigen.values();
    boolean bad = c[r - 1] > WORST_CONDITION * c[0];
    double floor = Math.pow(rho * (1 - eta), 2);
    double[] root = new double[r];
    double roots = 0;
    for (int i = 0; i < r; i++) {
      double value = c[r - 1 - i] * size;
      bad |= value < floor;
      root[i] = Math.sqrt(Math.max(floor, value));
      roots += root[i];
    }
    double smallest = (share * trace + (1 - eta) * (dim * rho + sum()) - roots) / (dim - r);
    double least = Math.max(options.epsilon(), options.delta() * root[0]);
    double[] nextD = new double[r];
    for (int i = 0; i < r; i++) {
      nextD[i] = Math.max(least, root[i] - smallest);
    }
    var next = new FisherFactor(options, dim, Math.max(least, smallest), nextD);
    double[] u = eigen.vectors();
    double[] nextE = next.e();
    double[][] left = new double[r][r];
    for (int i = 0; i < r; i++) {
      double factor = share * Math.sqrt(nextE[i]) / root[i];
      int vector = (r - 1 - i) * r;
      for (int j = 0; j < r; j++) {
        left[i][j] = factor / Math.sqrt(e[j]) * u[vector + j];
      }
    }
    double[] scale = Arrays.stream(d).map(x -> (1 - eta) / share * (x + rho)).toArray();
    return new Next(next, left, scale, bad);
  }

  /** Returns the matrix of the eigenvalue problem, exactly symmetric. */
  double[][] problem(int rows, double[][] l, double[][] k) {
    int r = rank();
    double eta = options.eta(rows);
    double share = eta / rows;
    double[] e = e();
    double[][] z = new double[r][r];
    for (int i = 0; i < r; i++) {
      for (int j = 0; j <= i; j++) {
        double sides = 1 / Math.sqrt(e[i] * e[j]);
        // L and K are symmetric up to rounding.
        double mixed = share * (1 - eta) * sides * (l[i][j] + l[j][i]) / 2;
        z[i][j] =
            share * share * sides * (k[i][j] + k[j][i]) / 2
                + mixed * (d[j] + rho)
                + mixed * (d[i] + rho);
        z[j][i] = z[i][j];
      }
      z[i][i] += (1 - eta) * (1 - eta) * (d[i] + rho) * (d[i] + rho);
    }
    return z;
  }

  private static SymmetricEigen eigen(double[][] z, double size) {
    int r = z.length;
    double[] all = new double[r * r];
    for (int i = 0; i < all.length; i++) {
      all[i] = z[i / r][i % r] / size;
    }
    return SymmetricEigen.of(all, r)
        .orElseThrow(() ->
            new ComputationException(
                "[train] values and derivatives must be finite; got some that are infinite or NaN;"
                    + " look for such numbers in the model and the examples, or lower learning"
                    + " rates."));
  }

  /**
   * Returns the matrix to multiply W by from the left so that R is orthonormal; null if R is
   * orthonormal already.
   *
   * @param product W W'
   * @throws NonPositiveDefiniteMatrixException if W's rows are linearly dependent
   */
  double[][] orthogonalizer(double[][] product) {
    int r = rank();
    double[] e = e();
    double[][] o = new double[r][r];
    double off = 0;
    double all = 0;
    for (int i = 0; i < r; i++) {
      for (int j = 0; j < r; j++) {
        o[i][j] = product[i][j] / Math.sqrt(e[i] * e[j]);
        double wanted = i == j ? 1 : 0;
        off += (o[i][j] - wanted) * (o[i][j] - wanted);
        all += o[i][j] * o[i][j];
      }
    }
    if (off <= ORTHONORMAL * ORTHONORMAL * all) {
      return null;
    }
    var matrix = new Array2DRowRealMatrix(o, false);
    var symmetric = matrix.add(matrix.transpose()).scalarMultiply(0.5);
    RealMatrix lower = new CholeskyDecomposition(symmetric, 1e-5, 1e-10).getL();
    double[][] inverse = new double[r][r];
    for (int column = 0; column < r; column++) {
      double[] unit = new double[r];
      unit[column] = 1;
      MatrixUtils.solveLowerTriangularSystem(lower, new ArrayRealVector(unit, false));
      for (int row = 0; row < r; row++) {
        inverse[row][column] = unit[row] * Math.sqrt(e[row] / e[column]);
      }
    }
    return inverse;
  }
}
