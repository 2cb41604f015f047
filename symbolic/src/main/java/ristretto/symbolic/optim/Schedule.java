package ristretto.symbolic.optim;

import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;

/**
 * Learning rate, and for some schedules momentum, as a function of the number of updates that an
 * optimizer has made; computed on the device.
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

  /**
   * Returns the momentum, which replaces that of an optimizer with this schedule, also for the
   * parameters of groups; empty for schedules of the rate alone, which is the default.
   *
   * @param step number of the optimizer's update, from 0
   */
  default Optional<Expr<F32>> momentum(Expr<F32> step) {
    return Optional.empty();
  }

  /** Returns the rates of this schedule, with the momentum of the optimizer. */
  default Schedule constantMomentum() {
    return this::rate;
  }

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
   * down to {@code largest / 250000}; that rate afterwards. The momentum of {@link
   * Optimizer#momentum} and the first constant of Adam, AdamW and LAMB go from 0.95 to 0.85 and
   * back meanwhile, in place of the optimizer's own; {@link #constantMomentum} keeps that.
   *
   * @param steps number of updates of the cycle, at least 4
   */
  static Schedule oneCycle(double largest, long steps) {
    requireRate(largest);
    if (steps < 4) {
      throw new ShapeException(
          "[optimizer] a cycle must have at least 4 steps; got " + steps + ".");
    }
    return new OneCycle(largest, steps);
  }

  /** Returns this schedule with linear warm-up from 0 over the first {@code steps}. */
  default Schedule warmUp(long steps) {
    requireSteps(steps);
    return new WarmUp(this, steps);
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
