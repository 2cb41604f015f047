package ristretto.symbolic.layers;

import java.util.function.UnaryOperator;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.symbolic.graph.Variable;

/**
 * Root mean square normalization (Zhang and Sennrich, 2019) over the last axis: {@code v /
 * sqrt(mean(v^2) + epsilon)}, then scaled by {@code name.weight[width]} (ones), as in PyTorch's
 * {@code RMSNorm}.
 */
public final class RmsNorm implements Layer {
  private final Affine affine;
  private final Parameters parameters;

  /**
   * Creates a layer without parameters yet, with an epsilon of 1e-6.
   *
   * @param name name of the layer, the prefix of its parameter
   */
  public RmsNorm(String name) {
    this(new Affine(1e-6, true, false), new Parameters(name));
  }

  private RmsNorm(Affine affine, Parameters parameters) {
    this.affine = affine;
    this.parameters = parameters;
  }

  /** Returns this layer with a number that is added to the mean square. */
  public RmsNorm epsilon(double epsilon) {
    return new RmsNorm(affine.withEpsilon(epsilon), parameters.changed("epsilon"));
  }

  /** Returns this layer with a learned scale, or without. */
  public RmsNorm affine(boolean affine) {
    return new RmsNorm(
        this.affine.withBoth(affine).withBias(false), parameters.changed("affine(" + affine + ")"));
  }

  @Override
  public <T> Variable<T> of(Variable<T> v) {
    long width = parameters.width(v);
    return affine.of(parameters, v, width, this::normal, UnaryOperator.identity());
  }

  private <T> Expr<T> normal(Expr<T> a) {
    Expr<T> square = Ops.mean(Ops.square(a), -1).keepDims();
    return a.times(Ops.rsqrt(square.plus(affine.epsilon())));
  }
}
