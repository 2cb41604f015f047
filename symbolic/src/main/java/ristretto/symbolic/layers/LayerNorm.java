package ristretto.symbolic.layers;

import java.util.function.UnaryOperator;
import ristretto.expr.Ops;
import ristretto.symbolic.graph.Variable;

/**
 * Layer normalization (Ba et al., 2016) over the last axis: {@code (v - mean) / sqrt(variance +
 * epsilon)}, then scaled and shifted by {@code name.weight[width]} (ones) and {@code
 * name.bias[width]} (zeros), as in PyTorch's {@code LayerNorm}.
 */
public final class LayerNorm implements Layer {
  private final Affine affine;
  private final Parameters parameters;

  /**
   * Creates a layer without parameters yet, with an epsilon of 1e-5.
   *
   * @param name name of the layer, the prefix of its parameters
   */
  public LayerNorm(String name) {
    this(new Affine(1e-5, true, true), new Parameters(name));
  }

  private LayerNorm(Affine affine, Parameters parameters) {
    this.affine = affine;
    this.parameters = parameters;
  }

  /** Returns this layer with a number that is added to the variance. */
  public LayerNorm epsilon(double epsilon) {
    return new LayerNorm(affine.withEpsilon(epsilon), parameters.changed("epsilon"));
  }

  /** Returns this layer with a learned shift, or without. */
  public LayerNorm bias(boolean bias) {
    return new LayerNorm(affine.withBias(bias), parameters.changed("bias(" + bias + ")"));
  }

  /** Returns this layer with a learned scale and shift, or without. */
  public LayerNorm affine(boolean affine) {
    return new LayerNorm(
        this.affine.withBoth(affine), parameters.changed("affine(" + affine + ")"));
  }

  @Override
  public <T> Variable<T> of(Variable<T> v) {
    long width = parameters.width(v);
    return affine.of(
        parameters,
        v,
        width,
        a -> Ops.layerNorm(a, -1, affine.epsilon()),
        UnaryOperator.identity());
  }
}
