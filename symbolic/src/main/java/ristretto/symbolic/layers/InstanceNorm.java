package ristretto.symbolic.layers;

import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.ChannelAxis;

/**
 * Instance normalization (Ulyanov et al., 2016) of {@code v[n, c, ...]}: mean 0 and variance 1 over
 * each channel of each sample. With {@link #affine}, the result is scaled and shifted by {@code
 * name.weight[c]} (ones) and {@code name.bias[c]} (zeros), as in PyTorch's {@code InstanceNorm2d}.
 */
public final class InstanceNorm implements Layer {
  private final Affine affine;
  private final Parameters parameters;

  /**
   * Creates a layer without parameters, with an epsilon of 1e-5.
   *
   * @param name name of the layer, the prefix of its parameters
   */
  public InstanceNorm(String name) {
    this(new Affine(1e-5, false, false), new Parameters(name));
  }

  private InstanceNorm(Affine affine, Parameters parameters) {
    this.affine = affine;
    this.parameters = parameters;
  }

  /** Returns this layer with a number that is added to the variance. */
  public InstanceNorm epsilon(double epsilon) {
    return new InstanceNorm(affine.withEpsilon(epsilon), parameters.changed("epsilon"));
  }

  /** Returns this layer with a learned scale and shift, or without. */
  public InstanceNorm affine(boolean affine) {
    return new InstanceNorm(
        this.affine.withBoth(affine), parameters.changed("affine(" + affine + ")"));
  }

  @Override
  public <T> Variable<T> of(Variable<T> v) {
    long channels = parameters.channels(v);
    int rank = v.dims().rank();
    if (rank < 3) {
      throw new ShapeException(
          ("[%s] the input must be [n, c, ...] with at least one axis after the channels, over"
                  + " which a channel is normalized; got %s.")
              .formatted(parameters.layer(), v));
    }
    return affine.of(
        parameters,
        v,
        channels,
        a -> GroupNorm.normal(a, channels, affine.epsilon()),
        each -> ChannelAxis.spread(each, rank));
  }
}
