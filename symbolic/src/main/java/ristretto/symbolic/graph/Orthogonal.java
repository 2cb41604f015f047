package ristretto.symbolic.graph;

import java.util.SplittableRandom;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.QRDecomposition;
import org.apache.commons.math3.linear.RealMatrix;
import ristretto.expr.Assignment;
import ristretto.expr.LExpr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.LValue;
import ristretto.expr.type.Shape;

/** Random matrix with orthogonal rows or columns: the Q of a matrix of normal random numbers. */
final class Orthogonal extends LExpr<F32> {
  private final Shape shape;
  private final long seed;
  private final double gain;

  Orthogonal(Shape shape, long seed, double gain) {
    super(Ops.F32, shape);
    this.shape = shape;
    this.seed = seed;
    this.gain = gain;
  }

  @Override
  protected void execute(Assignment assignment, LValue<F32> target) {
    assignment.write(target, values());
  }

  private float[] values() {
    int rows = shape.rank() == 0 ? 1 : Math.toIntExact(shape.dim(0));
    int columns = Math.toIntExact(shape.size() / Math.max(1, rows));
    float[] all = new float[rows * columns];
    if (all.length == 0) {
      return all;
    }
    boolean wide = columns > rows;
    double[][] q = orthogonal(normal(Math.max(rows, columns), Math.min(rows, columns)));
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        all[i * columns + j] = (float) (gain * (wide ? q[j][i] : q[i][j]));
      }
    }
    return all;
  }

  /**
   * Returns Q of a tall matrix as {@code A R^-1}, because the library's Q is square. With a
   * positive diagonal of R, Q is uniformly distributed over the orthogonal matrices (Mezzadri,
   * 2007).
   */
  private static double[][] orthogonal(RealMatrix a) {
    double[][] r = new QRDecomposition(a).getR().getData();
    double[][] q = a.getData();
    int n = a.getColumnDimension();
    for (int k = 0; k < n; k++) {
      double sign = Math.signum(r[k][k]);
      for (int j = k; j < n; j++) {
        r[k][j] *= sign;
      }
    }
    for (double[] row : q) {
      for (int j = 0; j < n; j++) {
        row[j] /= r[j][j];
        for (int k = j + 1; k < n; k++) {
          row[k] -= row[j] * r[j][k];
        }
      }
    }
    return q;
  }

  private RealMatrix normal(int rows, int columns) {
    var random = new SplittableRandom(seed);
    var m = new Array2DRowRealMatrix(rows, columns);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        m.setEntry(i, j, random.nextGaussian());
      }
    }
    return m;
  }

  @Override
  public String toString() {
    return "orthogonal";
  }
}
