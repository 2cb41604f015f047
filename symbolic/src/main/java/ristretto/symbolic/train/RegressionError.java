package ristretto.symbolic.train;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/** Mean absolute error, root mean squared error, or coefficient of determination, in F64. */
final class RegressionError<T> extends Metric {
  /** Measure of the differences. */
  enum Kind {
    MEAN_ABSOLUTE,
    ROOT_MEAN_SQUARE,
    DETERMINATION
  }

  private final Kind kind;
  private final Variable<T> output;
  private final Variable<T> targets;

  /**
   * Statistics of each run: sums of absolute and squared differences, mean of the targets, sum of
   * their squared distances from it.
   */
  private final List<Tensor<F64>> runs = new ArrayList<>();

  private final List<Long> sizes = new ArrayList<>();

  RegressionError(String name, Kind kind, Variable<T> output, Variable<T> targets) {
    super(name, kind == Kind.DETERMINATION);
    this.kind = kind;
    this.output = output;
    this.targets = targets;
  }

  @Override
  public void update(Executor executor, int examples) {
    Tensor<T> y = executor.tensor(output);
    Tensor<T> t = executor.tensor(targets);
    SameShape.require(name(), output, y, targets, t);
    if (t.shape().size() == 0) {
      return;
    }
    Expr<F64> target = t.reshape(-1).cast(Ops.F64);
    Expr<F64> difference = y.reshape(-1).cast(Ops.F64).minus(target);
    Expr<F64> mean = Ops.mean(target);
    runs.add(
        t.context()
            .eval(
                Ops.stack(
                    0,
                    Ops.sum(Ops.abs(difference)),
                    Ops.sum(Ops.square(difference)),
                    mean,
                    Ops.sum(Ops.square(target.minus(mean))))));
    sizes.add(t.shape().size());
  }

  @Override
  public double value() {
    double count = 0;
    double absolute = 0;
    double squares = 0;
    double mean = 0;
    double spread = 0;
    for (int k = 0; k < runs.size(); k++) {
      double[] run = runs.get(k).toDoubleArray();
      double n = sizes.get(k);
      absolute += run[0];
      squares += run[1];
      // Pairwise update of mean and spread (Chan et al., 1979).
      double delta = run[2] - mean;
      spread += run[3] + delta * delta * count * n / (count + n);
      count += n;
      mean += delta * n / count;
    }
    if (count == 0) {
      return Double.NaN;
    }
    return switch (kind) {
      case MEAN_ABSOLUTE -> absolute / count;
      case ROOT_MEAN_SQUARE -> Math.sqrt(squares / count);
      case DETERMINATION -> 1 - squares / spread;
    };
  }

  @Override
  public void reset() {
    runs.clear();
    sizes.clear();
  }
}
