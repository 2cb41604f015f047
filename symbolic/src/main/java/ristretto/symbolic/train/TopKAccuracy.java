package ristretto.symbolic.train;

import java.util.OptionalInt;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
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
  private final OptionalInt ignored;
  private final OtherLabels others;
  private Tensor<I64> hits;
  private long rows;

  /** Number of rows whose label is ignored; zero if none is. */
  private Tensor<I64> dropped;

  /**
   * Creates a metric.
   *
   * @param ignored label of rows that do not count
   */
  TopKAccuracy(String name, int k, Variable<T> scores, Variable<I32> labels, OptionalInt ignored) {
    super(name, true);
    this.k = k;
    this.scores = scores;
    this.labels = labels;
    this.ignored = ignored;
    this.others = new OtherLabels(labels, ignored);
  }

  @Override
  public void update(Executor executor, int examples) {
    Tensor<I32> label = executor.tensor(labels);
    Context ctx = label.context();
    if (hits == null) {
      hits = ctx.zeros(Ops.I64);
      dropped = ctx.zeros(Ops.I64);
    }
    Tensor<T> all = executor.tensor(scores);
    requireClasses(all.shape(), label.shape());
    long classes = all.shape().dim(-1);
    if (k > classes) {
      throw new ShapeException(
          "[topK] k must be at most the number of classes; got %s for %s in %s."
              .formatted(k, classes, scores));
    }
    Expr<T> z = all.reshape(-1, classes);
    Expr<I32> wanted = label.reshape(-1);
    others.add(ctx, wanted, classes);
    if (k == 1) {
      Expr<I64> first = Ops.argMax(z, 1);
      add(ctx, first.eq(wanted.cast(Ops.I64)), wanted);
    } else {
      Expr<I32> known = Ops.where(OtherLabels.isClass(wanted, classes), wanted, 0);
      Expr<T> own = Ops.takeAlongAxis(z, known.unsqueeze(1), 1);
      Expr<I64> number = Ops.coordinate(z.shape(), 1);
      Expr<I64> before =
          Ops.sum(
              z.gt(own)
                  .or(z.eq(own).and(number.lt(wanted.cast(Ops.I64).unsqueeze(1))))
                  .cast(Ops.I64),
              1);
      add(ctx, before.lt(k), wanted);
    }
    rows += label.shape().size();
  }

  private void add(Context ctx, Expr<BOOL> hit, Expr<I32> wanted) {
    if (ignored.isEmpty()) {
      ctx.assignAdd(hits, Ops.sum(hit.cast(Ops.I64)));
      return;
    }
    Expr<BOOL> counts = wanted.ne(ignored.getAsInt());
    ctx.assignAdd(hits, Ops.sum(hit.and(counts).cast(Ops.I64)));
    ctx.assignAdd(dropped, Ops.sum(counts.not().cast(Ops.I64)));
  }

  private void requireClasses(Shape score, Shape label) {
    boolean fits = score.rank() == label.rank() + 1 && score.dim(-1) > 1;
    for (int d = 0; fits && d < label.rank(); d++) {
      fits = score.dim(d) == label.dim(d);
    }
    if (!fits) {
      throw new ShapeException(
          ("[%s] scores must be [..., classes] for labels [...], with at least two classes; got"
                  + " scores %s for labels %s in %s and %s; for one score per row, use"
                  + " Metric.binaryAccuracy.")
              .formatted(name(), score, label, scores, labels));
    }
  }

  @Override
  public double value() {
    others.require(name(), k > 1 ? "" : ", or name the one of rows that do not count");
    double counted = rows == 0 ? 0 : rows - dropped.item();
    return counted == 0 ? Double.NaN : hits.item() / counted;
  }

  @Override
  public void reset() {
    hits = null;
    dropped = null;
    others.reset();
    rows = 0;
  }
}
