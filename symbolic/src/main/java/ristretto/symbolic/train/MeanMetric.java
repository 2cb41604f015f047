package ristretto.symbolic.train;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/** Weighted mean with compensated summation (Kahan): the rounding error is kept beside the sum. */
final class MeanMetric<T> extends Metric {
  private final Variable<T> output;
  private final boolean exponential;
  private Tensor<T> sum;
  private Tensor<T> lost;
  private long examples;

  MeanMetric(String name, Variable<T> output, boolean exponential) {
    super(name, false);
    this.output = output;
    this.exponential = exponential;
  }

  @Override
  public void update(Executor executor, int batch) {
    Tensor<T> value = executor.tensor(output);
    Context ctx = value.context();
    if (sum == null) {
      sum = ctx.zeros(value.dtype());
      lost = ctx.zeros(value.dtype());
    }
    Expr<T> part = value.reshape().times(batch).minus(lost);
    Expr<T> total = sum.plus(part);
    ctx.assignAll(Pair.of(sum, total), Pair.of(lost, total.minus(sum).minus(part)));
    examples += batch;
  }

  @Override
  public double value() {
    if (examples == 0) {
      return Double.NaN;
    }
    double mean = sum.item() / examples;
    return exponential ? Math.exp(mean) : mean;
  }

  @Override
  public void reset() {
    sum = null;
    examples = 0;
  }
}
