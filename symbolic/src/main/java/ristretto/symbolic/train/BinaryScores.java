package ristretto.symbolic.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/**
 * F1 or area under the ROC curve of binary targets. All scores since the last reset are kept on the
 * device.
 */
final class BinaryScores<T> extends Metric {
  private final Variable<T> logits;
  private final Variable<T> targets;
  private final boolean area;

  /** Logits and targets of each run, {@code [2, n]}. */
  private final List<Tensor<F64>> runs = new ArrayList<>();

  /**
   * Creates a metric.
   *
   * @param area true for the area under the ROC curve, false for F1
   */
  BinaryScores(Variable<T> logits, Variable<T> targets, boolean area) {
    super(area ? "auc" : "f1", true);
    this.logits = logits;
    this.targets = targets;
    this.area = area;
  }

  @Override
  public void update(Executor executor, int examples) {
    Tensor<T> z = executor.tensor(logits);
    Tensor<T> t = executor.tensor(targets);
    SameShape.require(name(), logits, z, targets, t);
    var both = Ops.stack(0, z.reshape(-1).cast(Ops.F64), t.reshape(-1).cast(Ops.F64));
    runs.add(z.context().eval(both));
  }

  @Override
  public double value() {
    var all = new ArrayList<double[]>();
    for (Tensor<F64> run : runs) {
      double[] values = run.toDoubleArray();
      int n = values.length / 2;
      for (int k = 0; k < n; k++) {
        all.add(new double[] {values[k], values[n + k] > 0.5 ? 1 : 0});
      }
    }
    double[][] pairs = all.toArray(double[][]::new);
    return Arrays.stream(pairs).anyMatch(p -> Double.isNaN(p[0]))
        ? Double.NaN
        : area ? area(pairs) : f1(pairs);
  }

  private static double f1(double[][] pairs) {
    double hits = 0;
    double others = 0;
    for (double[] p : pairs) {
      boolean predicted = p[0] > 0;
      hits += predicted && p[1] == 1 ? 1 : 0;
      others += predicted != (p[1] == 1) ? 1 : 0;
    }
    return pairs.length == 0 ? Double.NaN : hits + others == 0 ? 0 : 2 * hits / (2 * hits + others);
  }

  /**
   * Returns the probability that a positive example has a higher score than a negative one, half
   * for equal scores; NaN without examples of both kinds.
   */
  private static double area(double[][] pairs) {
    Arrays.sort(pairs, Comparator.comparingDouble(p -> p[0]));
    double ranks = 0;
    double positives = 0;
    for (int from = 0; from < pairs.length; ) {
      int to = from;
      double here = 0;
      for (; to < pairs.length && pairs[to][0] == pairs[from][0]; to++) {
        here += pairs[to][1];
      }
      ranks += here * (from + to + 1) / 2.0;
      positives += here;
      from = to;
    }
    double negatives = pairs.length - positives;
    return (ranks - positives * (positives + 1) / 2) / (positives * negatives);
  }

  @Override
  public void reset() {
    runs.clear();
  }
}
