package ristretto.symbolic.train;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/**
 * Top-k accuracy: share of rows whose label is among the k largest scores; of equal scores, the
 * lower class comes first.
 */
final class TopKAccuracy<T> extends Metric {
  private final int k;
  private final Variable<T> scores;
  private final Variable<I32> labels;
  private Tensor<I64> hits;
  private long rows;

  TopKAccuracy(String name, int k, Variable<T> scores, Variable<I32> labels) {
    super(name, true);
    this.k = k;
    this.scores = scores;
    this.labels = labels;
  }

  @Override
  public void update(Executor executor, int examples) {
    Tensor<I32> label = executor.tensor(labels);
    Context ctx = label.context();
    if (hits == null) {
      hits = ctx.zeros(Ops.I64);
    }
    Tensor<T> all = executor.tensor(scores);
    long classes = all.shape().dim(-1);
    if (k > classes) {
      throw new ShapeException(
          "[topK] k must be at most the number of classes; got %s for %s in %s."
              .formatted(k, classes, scores));
    }
    Expr<T> z = all.reshape(-1, classes);
    Expr<I32> wanted = label.reshape(-1);
    if (k == 1) {
      Expr<I64> first = Ops.argMax(z, 1);
      ctx.assignAdd(hits, Ops.sum(first.eq(wanted.cast(Ops.I64)).cast(Ops.I64)));
    } else {
      Expr<T> own = Ops.takeAlongAxis(z, wanted.unsqueeze(1), 1);
      Expr<I64> number = Ops.coordinate(z.shape(), 1);
      Expr<I64> before =
          Ops.sum(
              z.gt(own)
                  .or(z.eq(own).and(number.lt(wanted.cast(Ops.I64).unsqueeze(1))))
                  .cast(Ops.I64),
              1);
      ctx.assignAdd(hits, Ops.sum(before.lt(k).cast(Ops.I64)));
    }
    rows += label.shape().size();
  }

  @Override
  public double value() {
    return rows == 0 ? Double.NaN : hits.item() / rows;
  }

  @Override
  public void reset() {
    hits = null;
    rows = 0;
  }
}
