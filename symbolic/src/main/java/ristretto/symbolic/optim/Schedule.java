package ristretto.symbolic.optim;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;

/**
 * Learning rate as a function of the number of updates that an optimizer has made; computed on the
 * device.
 */
@FunctionalInterface
public interface Schedule {
  /**
   * Returns the learning rate.
   *
   * @param step number of the optimizer's update, from 0; calls of {@link
   *     ristretto.symbolic.Executor#backward} alone do not count
   */
  Expr<F32> rate(Expr<F32> step);

  /** Constant learning rate. */
  static Schedule constant(double rate) {
    requireRate(rate);
    return _ -> Ops.scalar(Ops.F32, rate);
  }

  /** Step decay: {@code rate factor^k} from step {@code k every} on. */
  static Schedule step(double rate, double factor, long every) {
    requireRate(rate);
    requireFactor(factor);
    requireSteps(every);
    return step -> Ops.exp2(Ops.floor(step.div(every)).times(log2(factor))).times(rate);
  }

  /** Exponential decay: {@code rate factor^step}. */
  static Schedule exponential(double rate, double factor) {
    requireRate(rate);
    requireFactor(factor);
    return step -> Ops.exp2(step.times(log2(factor))).times(rate);
  }

  /** Cosine decay from {@code rate} to 0 over {@code steps}; 0 afterwards. */
  static Schedule cosine(double rate, long steps) {
    requireRate(rate);
    requireSteps(steps);
    return step -> Ops.cos(Ops.min(step.div(steps), 1.0).times(Math.PI)).plus(1).times(rate / 2);
  }

  /**
   * One-cycle schedule (Smith and Topin, 2018) with the constants of PyTorch's {@code OneCycleLR}:
   * by cosines from {@code largest / 25} to {@code largest} in the first 30 % of the steps, then
   * down to {@code largest / 250000}; that rate afterwards.
   *
   * @param steps number of updates of the cycle, at least 4
   */
  static Schedule oneCycle(double largest, long steps) {
    requireRate(largest);
    if (steps < 4) {
      throw new ShapeException(
          "[optimizer] a cycle must have at least 4 steps; got " + steps + ".");
    }
    double first = largest / 25;
    double top = 0.3 * steps - 1;
    double end = steps - 1;
    return step ->
        Ops.where(
            step.le(top),
            cosine(first, largest, step.div(top)),
            cosine(largest, first / 1e4, Ops.min(step.minus(top).div(end - top), 1.0)));
  }

  /** Half a cosine from one value to another, at a share of the way. */
  private static Expr<F32> cosine(double from, double to, Expr<F32> share) {
    return Ops.cos(share.times(Math.PI)).plus(1).times((from - to) / 2).plus(to);
  }

  /** Returns this schedule with linear warm-up from 0 over the first {@code steps}. */
  default Schedule warmUp(long steps) {
    requireSteps(steps);
    return step -> rate(step).times(Ops.min(step.plus(1).div(steps), 1.0));
  }

  private static void requireRate(double rate) {
    Optimizer.require(
        rate >= 0 && rate < Double.POSITIVE_INFINITY,
        "a learning rate must be finite and at least 0",
        rate);
  }

  private static void requireFactor(double factor) {
    Optimizer.require(
        factor > 0 && factor < Double.POSITIVE_INFINITY,
        "the factor of a schedule must be finite and above 0",
        factor);
  }

  private static void requireSteps(long steps) {
    if (steps < 1) {
      throw new ShapeException(
          "[optimizer] a schedule must have at least 1 step; got " + steps + ".");
    }
  }

  private static double log2(double x) {
    return Math.log(x) / Math.log(2);
  }
}
