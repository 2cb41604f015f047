package ristretto.plot;

import java.util.Arrays;

/** Points, perhaps connected by lines; points that are not finite are gaps. */
final class Curve implements Layer {
  /** Number of points that a picture can show. */
  private static final int MOST = 20_000;

  final boolean connected;
  String name;
  final double[] x;
  final double[] y;

  /** Number of points before thinning. */
  final int all;

  private Curve(boolean connected, String name, double[] x, double[] y, int all) {
    this.connected = connected;
    this.name = name;
    this.x = x;
    this.y = y;
    this.all = all;
  }

  static Curve of(boolean connected, String name, double[] x, double[] y) {
    if (x.length <= MOST) {
      return new Curve(connected, name, x, y, x.length);
    }
    return connected ? extremes(name, x, y) : every(name, x, y);
  }

  /** Keeps the lowest and the highest point of each of equal parts, so that peaks stay. */
  private static Curve extremes(String name, double[] x, double[] y) {
    int parts = MOST / 2;
    double[] u = new double[2 * parts];
    double[] v = new double[2 * parts];
    for (int p = 0; p < parts; p++) {
      int from = (int) ((long) p * x.length / parts);
      int to = (int) ((p + 1L) * x.length / parts);
      int low = from;
      int high = from;
      for (int k = from; k < to; k++) {
        // A gap wins, so that it is seen.
        if (!(y[k] >= y[low])) {
          low = k;
        }
        if (y[k] > y[high]) {
          high = k;
        }
      }
      u[2 * p] = x[Math.min(low, high)];
      v[2 * p] = y[Math.min(low, high)];
      u[2 * p + 1] = x[Math.max(low, high)];
      v[2 * p + 1] = y[Math.max(low, high)];
    }
    return new Curve(true, name, u, v, x.length);
  }

  private static Curve every(String name, double[] x, double[] y) {
    double[] u = new double[MOST];
    double[] v = new double[MOST];
    for (int k = 0; k < MOST; k++) {
      int at = (int) ((long) k * x.length / MOST);
      u[k] = x[at];
      v[k] = y[at];
    }
    return new Curve(false, name, u, v, x.length);
  }

  /**
   * Copy whose gaps are NaN in y, for axes that may need positive numbers.
   *
   * @param over true if the points are drawn over the rows of a matrix, from the top
   */
  Curve drawn(boolean logX, boolean logY, boolean over) {
    double[] u = x.clone();
    double[] v = y.clone();
    double before = Arrays.stream(u).filter(a -> isShown(a, logX)).findFirst().orElse(1);
    for (int k = 0; k < u.length; k++) {
      if (!isShown(u[k], logX) || !isShown(v[k], logY)) {
        v[k] = Double.NaN;
      }
      v[k] = over ? -v[k] : v[k];
      u[k] = isShown(u[k], logX) ? u[k] : before;
      before = u[k];
    }
    return new Curve(connected, name, u, v, all);
  }

  private static boolean isShown(double a, boolean log) {
    return Double.isFinite(a) && (a > 0 || !log);
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
