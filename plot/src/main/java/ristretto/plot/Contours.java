package ristretto.plot;

import java.awt.geom.Path2D;
import java.util.function.DoubleUnaryOperator;

/** Lines of equal height over a grid, by marching squares; squares with a NaN have none. */
final class Contours implements Layer {
  private static final int LEVELS = 10;

  final Range range;
  private final double[] x;
  private final double[] y;
  private final double[] z;

  Contours(double[] x, double[] y, double[] z) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.range = Range.of(z);
  }

  double[] levels() {
    double[] levels = new double[LEVELS];
    for (int k = 0; k < LEVELS; k++) {
      levels[k] = range.low() + (range.high() - range.low()) * (k + 0.5) / LEVELS;
    }
    return levels;
  }

  /** Lines of a level, in coordinates of the screen. */
  Path2D path(double level, DoubleUnaryOperator screenX, DoubleUnaryOperator screenY) {
    var path = new Path2D.Double();
    for (int r = 0; r + 1 < y.length; r++) {
      for (int c = 0; c + 1 < x.length; c++) {
        square(path, r, c, level, screenX, screenY);
      }
    }
    return path;
  }

  private void square(
      Path2D path,
      int r,
      int c,
      double level,
      DoubleUnaryOperator screenX,
      DoubleUnaryOperator screenY) {
    int[] rows = {r, r, r + 1, r + 1};
    int[] columns = {c, c + 1, c + 1, c};
    double[] px = new double[4];
    double[] py = new double[4];
    int points = 0;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
      double a = at(rows[k], columns[k]);
      double b = at(rows[(k + 1) % 4], columns[(k + 1) % 4]);
      sum += a;
      if (!Double.isFinite(a)) {
        return;
      }
      if (a < level != b < level) {
        double t = (level - a) / (b - a);
        int next = (k + 1) % 4;
        px[points] = x[columns[k]] + t * (x[columns[next]] - x[columns[k]]);
        py[points++] = y[rows[k]] + t * (y[rows[next]] - y[rows[k]]);
      }
    }
    // A saddle has four points; the mean tells which corners belong together.
    int first = points == 4 && sum / 4 < level != at(r, c) < level ? 1 : 0;
    for (int k = 0; k + 1 < points; k += 2) {
      int a = (k + first) % points;
      int b = (k + 1 + first) % points;
      path.moveTo(screenX.applyAsDouble(px[a]), screenY.applyAsDouble(py[a]));
      path.lineTo(screenX.applyAsDouble(px[b]), screenY.applyAsDouble(py[b]));
    }
  }

  private double at(int r, int c) {
    return z[r * x.length + c];
  }

  @Override
  public Range x() {
    return Range.of(x);
  }

  @Override
  public Range y() {
    return Range.of(y);
  }
}
