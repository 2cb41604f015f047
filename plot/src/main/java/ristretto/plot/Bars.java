package ristretto.plot;

import java.util.Arrays;

/** Bars of a histogram, side by side. */
final class Bars implements Layer {
  private static final int MOST_BINS = 1000;

  /** Ends of the bars, one more than there are bars. */
  final double[] edges;

  final double[] counts;

  private Bars(double[] edges, double[] counts) {
    this.edges = edges;
    this.counts = counts;
  }

  /**
   * Counts the finite values.
   *
   * @param bins number of bars; 0 for NumPy's rule "auto"
   */
  static Bars of(double[] values, int bins) {
    double[] finite = Arrays.stream(values).filter(Double::isFinite).sorted().toArray();
    Range range = Range.of(finite);
    if (range.low() == range.high()) {
      range = new Range(range.low() - 0.5, range.high() + 0.5);
    } else {
      range = range.drawable();
    }
    int n = bins > 0 ? bins : bins(finite, range);
    double[] edges = new double[n + 1];
    for (int k = 0; k <= n; k++) {
      edges[k] = range.low() + (range.high() - range.low()) * k / n;
    }
    double[] counts = new double[n];
    for (double v : finite) {
      int at = (int) (range.share(v) * n);
      // The share is rounded; the edges decide.
      at = Math.clamp(at, 0, n - 1);
      at -= at > 0 && v < edges[at] ? 1 : 0;
      at += at < n - 1 && v >= edges[at + 1] ? 1 : 0;
      counts[at]++;
    }
    return new Bars(edges, counts);
  }

  /** Larger number of bins of the rules of Sturges and of Freedman and Diaconis. */
  private static int bins(double[] sorted, Range range) {
    int n = sorted.length;
    if (n == 0) {
      return 1;
    }
    double sturges = Math.log(n) / Math.log(2) + 1;
    double width = 2 * (sorted[3 * (n - 1) / 4] - sorted[(n - 1) / 4]) / Math.cbrt(n);
    double diaconis = width > 0 ? (range.high() - range.low()) / width : 0;
    return (int) Math.ceil(Math.min(MOST_BINS, Math.max(sturges, diaconis)));
  }

  @Override
  public Range x() {
    return new Range(edges[0], edges[edges.length - 1]);
  }

  @Override
  public Range y() {
    return new Range(0, Math.max(1, Range.of(counts).high()) * 1.05);
  }
}
