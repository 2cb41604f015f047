package ristretto.symbolic.train;

import java.util.Locale;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/**
 * Confusion matrix: number of examples for each pair of label and predicted class; its value is the
 * accuracy.
 */
public final class ConfusionMatrix extends Metric {
  private final Variable<?> scores;
  private final Variable<I32> labels;

  /** Row-major counts, followed by the number of labels that are out of range. */
  private Tensor<I64> counts;

  /**
   * Creates an empty matrix.
   *
   * @param scores {@code [..., classes]}
   * @param labels {@code [...]}
   */
  public ConfusionMatrix(Variable<?> scores, Variable<I32> labels) {
    super("accuracy", true);
    this.scores = scores;
    this.labels = labels;
  }

  @Override
  public void update(Executor executor, int examples) {
    Tensor<?> all = executor.tensor(scores);
    Context ctx = all.context();
    long classes = all.shape().dim(-1);
    if (counts == null) {
      counts = ctx.zeros(Ops.I64, classes * classes + 1);
    }
    Expr<I64> taken = Ops.argMax(all.reshape(-1, classes), 1);
    Expr<I64> label = executor.tensor(labels).reshape(-1).cast(Ops.I64);
    Expr<BOOL> isClass = label.ge(0).and(label.lt(classes));
    Expr<I64> place = Ops.where(isClass, label.times(classes).plus(taken), classes * classes);
    Expr<I64> ones = Ops.fill(Ops.I64, 1, label.shape().size());
    ctx.assignAdd(counts, Ops.scatterAdd(counts.shape(), 0, place, ones));
  }

  /**
   * Returns the counts: rows are labels, columns predicted classes; no rows before the first
   * update.
   *
   * @throws ShapeException if a label was out of range
   */
  public long[][] counts() {
    if (counts == null) {
      return new long[0][];
    }
    long[] flat = counts.toLongArray();
    int classes = (int) Math.round(Math.sqrt(flat.length - 1));
    long others = flat[flat.length - 1];
    if (others > 0) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[confusionMatrix] labels must be from 0 to %d, one per score; got %d others in"
                  + " %s.",
              classes - 1,
              others,
              labels));
    }
    long[][] rows = new long[classes][classes];
    for (int k = 0; k < flat.length - 1; k++) {
      rows[k / classes][k % classes] = flat[k];
    }
    return rows;
  }

  @Override
  public double value() {
    long hits = 0;
    long all = 0;
    long[][] rows = counts();
    for (int label = 0; label < rows.length; label++) {
      for (int taken = 0; taken < rows.length; taken++) {
        hits += taken == label ? rows[label][taken] : 0;
        all += rows[label][taken];
      }
    }
    return all == 0 ? Double.NaN : (double) hits / all;
  }

  @Override
  public void reset() {
    counts = null;
  }
}
