package ristretto.symbolic.layers;

import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.BatchNormOperator;

/**
 * Batch normalization (Ioffe and Szegedy, 2015) of {@code v[n, c, ...]} for each channel: with mean
 * and variance of the batch in training mode, with running statistics in evaluation mode. The
 * parameters are {@code name.weight[c]} (ones) and {@code name.bias[c]} (zeros), the states {@code
 * name.running_mean[c]} and {@code name.running_var[c]}, as in PyTorch's {@code BatchNorm2d}.
 */
public final class BatchNorm implements Layer {
  private final Options options;
  private final Parameters parameters;

  private record Options(Affine affine, double momentum, String mean, String variance) {}

  /**
   * Creates a layer without parameters yet, with an epsilon of 1e-5 and a momentum of 0.1.
   *
   * @param name name of the layer, the prefix of its parameters and states
   */
  public BatchNorm(String name) {
    this(name, "running_mean", "running_var");
  }

  /**
   * Creates a layer with other names of the states.
   *
   * @param mean name of the running mean
   * @param variance name of the running variance
   */
  BatchNorm(String name, String mean, String variance) {
    this(new Options(new Affine(1e-5, true, true), 0.1, mean, variance), new Parameters(name));
  }

  private BatchNorm(Options options, Parameters parameters) {
    this.options = options;
    this.parameters = parameters;
  }

  /** Returns this layer with a number that is added to the variance. */
  public BatchNorm epsilon(double epsilon) {
    return with("epsilon", options.affine.withEpsilon(epsilon), options.momentum);
  }

  /**
   * Returns this layer with a weight of each batch in the running statistics: {@code running = (1 -
   * momentum) running + momentum batch}.
   *
   * @param momentum from 0 to 1
   */
  public BatchNorm momentum(double momentum) {
    if (!(momentum >= 0 && momentum <= 1)) {
      throw new ShapeException(
          ("[%s] the momentum is the weight of a batch in the running statistics, from 0 to 1; got"
                  + " %s.")
              .formatted(parameters.layer(), momentum));
    }
    return with("momentum", options.affine, momentum);
  }

  /** Returns this layer with a learned scale and shift, or without. */
  public BatchNorm affine(boolean affine) {
    return with("affine(" + affine + ")", options.affine.withBoth(affine), options.momentum);
  }

  private BatchNorm with(String option, Affine affine, double momentum) {
    return new BatchNorm(
        new Options(affine, momentum, options.mean, options.variance), parameters.changed(option));
  }

  @Override
  public <T> Variable<T> of(Variable<T> v) {
    long channels = parameters.channels(v);
    return new BatchNormOperator<>(
            parameters.layer(),
            v,
            options.affine.weight(parameters, v, channels),
            options.affine.bias(parameters, v, channels),
            parameters.state(options.mean, v, Initializer.zeros(), channels),
            parameters.state(options.variance, v, Initializer.ones(), channels),
            options.momentum,
            options.affine.epsilon())
        .output();
  }
}
