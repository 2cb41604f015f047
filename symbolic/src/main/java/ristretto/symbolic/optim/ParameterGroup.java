package ristretto.symbolic.optim;

import java.util.OptionalDouble;
import ristretto.symbolic.graph.Selection;

/**
 * Settings of an optimizer for some of its parameters, see {@link Optimizer#group}; those that are
 * not set are the optimizer's. Each method returns a new group.
 */
public final class ParameterGroup {
  private final Selection selection;
  private final Schedule rate;
  private final OptionalDouble decay;
  private final OptionalDouble longest;

  private ParameterGroup(
      Selection selection, Schedule rate, OptionalDouble decay, OptionalDouble longest) {
    this.selection = selection;
    this.rate = rate;
    this.decay = decay;
    this.longest = longest;
  }

  /** Returns a group without settings. */
  static ParameterGroup of(Selection selection) {
    return new ParameterGroup(selection, null, OptionalDouble.empty(), OptionalDouble.empty());
  }

  /**
   * Sets a constant learning rate.
   *
   * @throws ristretto.kernels.ShapeException if the rate is negative or not finite
   */
  public ParameterGroup rate(double rate) {
    return rate(Schedule.constant(rate));
  }

  /** Sets the learning rate schedule, in updates of the optimizer. */
  public ParameterGroup rate(Schedule rate) {
    return new ParameterGroup(selection, rate, decay, longest);
  }

  /**
   * Sets the weight decay: decoupled for optimizers with decoupled weight decay, such as {@link
   * Optimizer#adamW}, and L2 regularization for all others.
   *
   * @throws ristretto.kernels.ShapeException if the decay is negative or not finite
   */
  public ParameterGroup decay(double decay) {
    Optimizer.requireDecay(decay);
    return new ParameterGroup(selection, rate, OptionalDouble.of(decay), longest);
  }

  /**
   * Sets the largest norm of the gradients of this group together, infinity for no limit; these
   * gradients then do not count in the norm that the optimizer limits.
   *
   * @throws ristretto.kernels.ShapeException if the norm is not positive
   */
  public ParameterGroup clip(double norm) {
    Optimizer.requireNorm(norm);
    return new ParameterGroup(selection, rate, decay, OptionalDouble.of(norm));
  }

  Selection selection() {
    return selection;
  }

  /** Returns the schedule of this group, or null. */
  Schedule rate() {
    return rate;
  }

  OptionalDouble decay() {
    return decay;
  }

  OptionalDouble longest() {
    return longest;
  }
}
