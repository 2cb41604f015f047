package ristretto.symbolic.layers;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.ChannelAxis;

/**
 * Group normalization (Wu and He, 2018) of {@code v[n, c, ...]}: mean 0 and variance 1 over each
 * group of channels of each sample, then scaled and shifted by {@code name.weight[c]} (ones) and
 * {@code name.bias[c]} (zeros), as in PyTorch's {@code GroupNorm}.
 */
public final class GroupNorm implements Layer {
  private final long groups;
  private final Affine affine;
  private final Parameters parameters;

  /**
   * Creates a layer without parameters yet, with an epsilon of 1e-5.
   *
   * @param name name of the layer, the prefix of its parameters
   * @param groups number of groups; must divide the channels
   */
  public GroupNorm(String name, long groups) {
    this(groups, new Affine(1e-5, true, true), new Parameters(name));
  }

  private GroupNorm(long groups, Affine affine, Parameters parameters) {
    this.groups = groups;
    this.affine = affine;
    this.parameters = parameters;
  }

  /** Returns this layer with a number that is added to the variance. */
  public GroupNorm epsilon(double epsilon) {
    return new GroupNorm(groups, affine.withEpsilon(epsilon), parameters.changed("epsilon"));
  }

  /** Returns this layer with a learned scale and shift, or without. */
  public GroupNorm affine(boolean affine) {
    return new GroupNorm(
        groups, this.affine.withBoth(affine), parameters.changed("affine(" + affine + ")"));
  }

  @Override
  public <T> Variable<T> of(Variable<T> v) {
    long channels = parameters.channels(v);
    if (groups < 1 || channels % groups != 0) {
      throw new ShapeException(
          "["
              + parameters.layer()
              + "] the groups must divide the channels; got "
              + groups
              + " for "
              + v
              + ".");
    }
    int rank = v.dims().rank();
    return affine.of(
        parameters,
        v,
        channels,
        a -> normal(a, groups, affine.epsilon()),
        each -> ChannelAxis.spread(each, rank));
  }

  /** Normalizes each group of channels of each sample. */
  static <T> Expr<T> normal(Expr<T> a, long groups, double epsilon) {
    long[] shape = a.shape().extents();
    return Ops.layerNorm(a.reshape(shape[0], groups, -1), -1, epsilon).reshape(shape);
  }
}
