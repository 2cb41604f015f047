package ristretto.symbolic;

import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Ops;

/** A learning rate as a function of the step, computed where the weights are. */
@FunctionalInterface
public interface Schedule {
  /**
   * The rate.
   *
   * @param step number of the step, from 0
   */
  Expr<F32> rate(Expr<F32> step);

  /** Always the same. */
  static Schedule constant(double rate) {
    return _ -> Ops.scalar(Ops.F32, rate);
  }

  /** {@code rate factor^k} from step {@code k every} on. */
  static Schedule step(double rate, double factor, long every) {
    return step -> Ops.exp2(Ops.floor(step.div(every)).times(log2(factor))).times(rate);
  }

  /** {@code rate factor^step}. */
  static Schedule exponential(double rate, double factor) {
    return step -> Ops.exp2(step.times(log2(factor))).times(rate);
  }

  /** From {@code rate} down to 0 along half a cosine over {@code steps}; 0 afterwards. */
  static Schedule cosine(double rate, long steps) {
    return step -> Ops.cos(Ops.min(step.div(steps), 1.0).times(Math.PI)).plus(1).times(rate / 2);
  }

  /** This schedule, with rates that grow from 0 in the first {@code steps}. */
  default Schedule warmUp(long steps) {
    return step -> rate(step).times(Ops.min(step.plus(1).div(steps), 1.0));
  }

  private static double log2(double x) {
    return Math.log(x) / Math.log(2);
  }
}
