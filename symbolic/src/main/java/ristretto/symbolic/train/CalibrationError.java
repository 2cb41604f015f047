package ristretto.symbolic.train;

import java.util.List;
import java.util.OptionalInt;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/**
 * Expected calibration error (Guo et al., 2017): mean distance between the probability of the
 * predicted class and the accuracy, over bins of that probability.
 */
final class CalibrationError<T> extends Metric {
  private final Variable<T> logits;
  private final Variable<I32> labels;
  private final int bins;
  private final OtherLabels others;

  /** By bin: number of rows, sum of probabilities, number of hits; {@code [3, bins]}. */
  private Tensor<F64> sums;

  CalibrationError(Variable<T> logits, Variable<I32> labels, int bins) {
    super("calibration", false);
    this.logits = logits;
    this.labels = labels;
    this.bins = bins;
    this.others = new OtherLabels(labels, OptionalInt.empty());
  }

  @Override
  public void update(Executor executor, int examples) {
    Tensor<T> all = executor.tensor(logits);
    Context ctx = all.context();
    if (sums == null) {
      sums = ctx.zeros(Ops.F64, 3, bins);
    }
    Expr<F64> z = all.reshape(-1, all.shape().dim(-1)).cast(Ops.F64);
    Expr<F64> probability = ctx.eval(Ops.max(Ops.softmax(z, 1), 1));
    others.add(ctx, executor.tensor(labels), all.shape().dim(-1));
    Expr<I64> label = executor.tensor(labels).reshape(-1).cast(Ops.I64);
    Expr<F64> hit = Ops.argMax(z, 1).eq(label).cast(Ops.F64);
    // Bins are open below and closed above.
    Expr<I64> bin = Ops.ceil(probability.times(bins)).minus(1).cast(Ops.I64);
    Expr<I64> place = ctx.eval(Ops.where(bin.lt(0), 0, Ops.where(bin.ge(bins), bins - 1, bin)));
    Expr<F64> ones = Ops.fill(Ops.F64, 1, label.shape().size());
    int row = 0;
    for (Expr<F64> part : List.of(ones, probability, hit)) {
      Tensor<F64> sum = sums.slice(Ops.at(row++));
      ctx.assignAdd(sum, Ops.scatterAdd(sum.shape(), 0, place, part));
    }
  }

  @Override
  public double value() {
    others.require(name(), "");
    double[] all = sums == null ? new double[3 * bins] : sums.toDoubleArray();
    double error = 0;
    double rows = 0;
    for (int bin = 0; bin < bins; bin++) {
      error += Math.abs(all[bins + bin] - all[2 * bins + bin]);
      rows += all[bin];
    }
    return rows == 0 ? Double.NaN : error / rows;
  }

  @Override
  public void reset() {
    sums = null;
    others.reset();
  }
}
