package ristretto.symbolic.train;

import ristretto.expr.type.I32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/**
 * F1, precision or recall of classes, averaged. A class without labels and predictions counts as 0,
 * and classes that occur in neither are left out, as in scikit-learn.
 */
final class ClassScore extends Metric {
  /** Measure of one class. */
  enum Kind {
    F1,
    PRECISION,
    RECALL;

    /** Returns the measure, 0 where it is undefined. */
    double of(long hits, long predicted, long labels) {
      return switch (this) {
        case F1 -> ratio(2 * hits, predicted + labels);
        case PRECISION -> ratio(hits, predicted);
        case RECALL -> ratio(hits, labels);
      };
    }

    private static double ratio(long part, long whole) {
      return whole == 0 ? 0 : (double) part / whole;
    }
  }

  private final Kind kind;
  private final Average average;
  private final ConfusionMatrix matrix;

  ClassScore(String name, Kind kind, Average average, Variable<?> scores, Variable<I32> labels) {
    super(name, true);
    this.kind = kind;
    this.average = average;
    this.matrix = new ConfusionMatrix(scores, labels);
  }

  @Override
  public void update(Executor executor, int examples) {
    matrix.update(executor, examples);
  }

  @Override
  public double value() {
    long[][] counts = matrix.counts();
    double sum = 0;
    double weight = 0;
    long hits = 0;
    long all = 0;
    for (int c = 0; c < counts.length; c++) {
      long labels = 0;
      long predicted = 0;
      for (int other = 0; other < counts.length; other++) {
        labels += counts[c][other];
        predicted += counts[other][c];
      }
      hits += counts[c][c];
      all += labels;
      if (labels + predicted > 0) {
        double own = average == Average.WEIGHTED ? labels : 1;
        sum += own * kind.of(counts[c][c], predicted, labels);
        weight += own;
      }
    }
    if (all == 0) {
      return Double.NaN;
    }
    return average == Average.MICRO ? (double) hits / all : sum / weight;
  }

  @Override
  public void reset() {
    matrix.reset();
  }
}
