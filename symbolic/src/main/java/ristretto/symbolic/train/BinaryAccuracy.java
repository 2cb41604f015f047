package ristretto.symbolic.train;

import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.I64;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/** Share of the elements whose logit has the sign of the target. */
final class BinaryAccuracy<T> extends Metric {
  private final Variable<T> logits;
  private final Variable<T> targets;
  private Tensor<I64> hits;
  private long elements;

  BinaryAccuracy(Variable<T> logits, Variable<T> targets) {
    super("accuracy", true);
    this.logits = logits;
    this.targets = targets;
  }

  @Override
  public void update(Executor executor, int examples) {
    Tensor<T> z = executor.tensor(logits);
    Tensor<T> t = executor.tensor(targets);
    if (!z.shape().equals(t.shape())) {
      throw new ShapeException(
          "[accuracy] binary targets must have the shape of the logits; got %s for %s in %s and %s; reshape one."
              .formatted(t.shape(), z.shape(), targets, logits));
    }
    Context ctx = z.context();
    if (hits == null) {
      hits = ctx.zeros(Ops.I64);
    }
    ctx.assignAdd(hits, Ops.sum(z.gt(0).eq(t.gt(0.5)).cast(Ops.I64)));
    elements += z.shape().size();
  }

  @Override
  public double value() {
    return elements == 0 ? Double.NaN : hits.item() / elements;
  }

  @Override
  public void reset() {
    hits = null;
    elements = 0;
  }
}
