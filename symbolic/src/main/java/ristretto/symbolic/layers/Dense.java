package ristretto.symbolic.layers;

import java.util.Optional;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.DenseOperator;

/**
 * Fully connected layer over the last axis: {@code v[..., in], w[in, units], b[units] -> v w + b}.
 * The parameters are {@code name.weight[in, units]} (Xavier) and {@code name.bias[units]} (zeros);
 * PyTorch's {@code Linear} stores the transposed weight.
 */
public final class Dense implements Layer {
  private final long units;
  private final Options options;
  private final Parameters parameters;

  private record Options(Initializer weight, Optional<Initializer> bias) {}

  /**
   * Creates a layer without parameters yet.
   *
   * @param name name of the layer, the prefix of its parameters
   * @param units width of the output
   */
  public Dense(String name, long units) {
    this(
        units,
        new Options(Initializer.xavier(), Optional.of(Initializer.zeros())),
        new Parameters(name));
  }

  private Dense(long units, Options options, Parameters parameters) {
    if (units < 1) {
      throw new ShapeException(
          "[%s] a layer must have at least one unit; got %s.".formatted(parameters.layer(), units));
    }
    this.units = units;
    this.options = options;
    this.parameters = parameters;
  }

  /** Returns this layer with a bias, or without. */
  public Dense bias(boolean bias) {
    Optional<Initializer> initializer =
        bias ? options.bias.or(() -> Optional.of(Initializer.zeros())) : Optional.empty();
    return with("bias(" + bias + ")", new Options(options.weight, initializer));
  }

  /** Returns this layer with an initializer of the bias. */
  public Dense bias(Initializer initializer) {
    return with("bias(...)", new Options(options.weight, Optional.of(initializer)));
  }

  /** Returns this layer with an initializer of the weight. */
  public Dense weight(Initializer initializer) {
    return with("weight(...)", new Options(initializer, options.bias));
  }

  private Dense with(String option, Options changed) {
    return new Dense(units, changed, parameters.changed(option));
  }

  @Override
  public <T> Variable<T> of(Variable<T> v) {
    long in = parameters.width(v);
    Variable<T> weight = parameters.parameter("weight", v, options.weight, in, units);
    Optional<Variable<T>> bias = parameters.parameter("bias", v, options.bias, units);
    return new DenseOperator<>(parameters.layer(), v, weight, bias).output();
  }
}
