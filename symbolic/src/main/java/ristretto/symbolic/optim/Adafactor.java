package ristretto.symbolic.optim;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.Shape;

/** Adafactor (Shazeer and Stern, 2018) without momentum; see {@link Optimizer#adafactor}. */
final class Adafactor extends Optimizer {
  /** Exponent of the step number in the share of a new squared gradient. */
  private static final double FORGETTING = -0.8;

  /** Least root mean square of a parameter, by which the learning rate is scaled. */
  private static final double LEAST_SCALE = 1e-3;

  /** Least mean square of gradients: the rounding error of F32. */
  private static final double EPSILON = Math.scalb(1.0, -23);

  /** Largest root mean square of an update before the learning rate. */
  private static final double LONGEST = 1;

  private final double decay;

  Adafactor(Schedule rate, double decay) {
    super(rate, 1);
    this.decay = decay;
  }

  @Override
  Optimizer withDecay(double other) {
    return new Adafactor(schedule(), other);
  }

  @Override
  public boolean isPerParameter() {
    return true;
  }

  /**
   * Returns the relative step size, the share of a new squared gradient in its running mean, and
   * the learning rate.
   */
  @Override
  protected <T> List<Expr<T>> numbers(Expr<T> rate, Expr<T> step) {
    return List.of(Ops.min(rate, Ops.rsqrt(step)), Ops.pow(step, FORGETTING), rate);
  }

  @Override
  protected <T> List<Pair<?>> update(
      Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
    Expr<T> share = numbers.get(1);
    Expr<T> square = g.times(g);
    Tensor<T> state = kept.get(0);
    if (!isFactored(w.shape())) {
      Expr<T> mean = mixed(state, square, share);
      return List.of(Pair.of(state, mean), Pair.of(w, moved(w, g, mean, numbers)));
    }
    int rank = w.shape().rank();
    long n = w.shape().dim(-2);
    long m = w.shape().dim(-1);
    long matrices = w.shape().size() / (n * m);
    long[] lead = w.shape().toArray();
    lead[rank - 1] = 1;
    long[] trail = w.shape().toArray();
    trail[rank - 2] = 1;
    // The running means of rows and columns are the first elements of each matrix of the state.
    Tensor<T> flat = state.reshape(matrices, n * m);
    Tensor<T> rowState = flat.slice(Ops.all(), Ops.range(0, n));
    Tensor<T> columnState = flat.slice(Ops.all(), Ops.range(n, n + m));
    Expr<T> rows = mixed(rowState, Ops.mean(square, -1).reshape(matrices, n), share);
    Expr<T> columns = mixed(columnState, Ops.mean(square, -2).reshape(matrices, m), share);
    Expr<T> total = Ops.max(Ops.mean(rows, -1), EPSILON).reshape(matrices, 1);
    Expr<T> mean = rows.div(total).reshape(lead).times(columns.reshape(trail));
    return List.of(
        Pair.of(rowState, rows),
        Pair.of(columnState, columns),
        Pair.of(w, moved(w, g, mean, numbers)));
  }

  /** True for matrices whose row and column means fit into the state. */
  private static boolean isFactored(Shape shape) {
    return shape.rank() > 1 && shape.dim(-1) > 1 && shape.dim(-2) > 1;
  }

  private static <T> Expr<T> mixed(Expr<T> old, Expr<T> fresh, Expr<T> share) {
    return old.plus(fresh.minus(old).times(share));
  }

  private <T> Expr<T> moved(Tensor<T> w, Expr<T> g, Expr<T> mean, List<Expr<T>> numbers) {
    Expr<T> kept = decay == 0 ? w : w.times(numbers.get(2).times(-decay).plus(1));
    Expr<T> move = g.times(Ops.rsqrt(Ops.max(mean, EPSILON * EPSILON)));
    Expr<T> size = Ops.max(rootMeanSquare(w), LEAST_SCALE).times(numbers.get(0));
    Expr<T> shorter = Ops.max(rootMeanSquare(move).div(LONGEST), 1.0);
    return kept.minus(move.times(size.div(shorter)));
  }

  private static <T> Expr<T> rootMeanSquare(Expr<T> x) {
    return Ops.sqrt(Ops.mean(x.times(x)));
  }
}
