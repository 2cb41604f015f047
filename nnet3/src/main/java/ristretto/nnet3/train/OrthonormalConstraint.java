package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.oneHot;
import static ristretto.expr.Ops.scalar;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.where;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/**
 * Semi-orthogonal constraint: moves a matrix M towards orthogonal rows (or columns, if those are
 * fewer) of equal length, by a gradient step on tr((P - s^2 I)^2) with P = M M'. The step size
 * gives quadratic convergence near the goal. Only assigns, so that it can be recorded.
 *
 * <p>Source: Povey et al., "Semi-orthogonal low-rank matrix factorization for deep neural
 * networks", 2018.
 */
final class OrthonormalConstraint {
  private static final double SPEED = 0.125;

  private OrthonormalConstraint() {}

  /**
   * Takes one step.
   *
   * @param m [rows, columns], updated in place
   * @param scale target length s of the rows; if negative, the length that fits the matrix best
   */
  static void step(Context context, Tensor<F32> m, double scale) {
    boolean wide = m.shape().dim(0) <= m.shape().dim(1);
    Expr<F32> rows = wide ? m : m.t();
    Tensor<F32> p = context.eval(dot(rows, rows.t()));
    long size = p.shape().dim(0);
    Expr<F32> square = scalar(F32, scale * scale);
    Expr<F32> speed = scalar(F32, SPEED);
    if (scale < 0) {
      Tensor<F32> trace = context.eval(sum(rows.times(rows)));
      Tensor<F32> traceOfSquare = context.eval(sum(p.times(p)));
      square = traceOfSquare.div(trace);
      // The ratio is 1 if all rows are orthogonal and of one length; far from 1, long steps
      // diverge.
      Expr<F32> ratio = square.times(size).div(trace);
      speed =
          where(ratio.gt(1.1), speed.times(0.25), where(ratio.gt(1.02), speed.times(0.5), speed));
    }
    Tensor<F32> factor = context.eval(speed.times(4).div(square));
    Tensor<F32> target = context.eval(square);
    Expr<F32> unit = oneHot(context.arange(I32, size), size);
    Expr<F32> step = p.minus(unit.times(target)).times(factor);
    context.assignSub(m, wide ? dot(step, m) : dot(m, step));
  }
}
