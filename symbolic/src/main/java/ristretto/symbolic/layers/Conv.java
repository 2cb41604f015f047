package ristretto.symbolic.layers;

import java.util.Optional;
import ristretto.kernels.ShapeException;
import ristretto.kernels.debug.Warnings;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/**
 * Convolution (as cross-correlation) over all channels: {@code v[n, c, h, w] -> [n, filters, oh,
 * ow]}, or {@code v[n, c, t] -> [n, filters, ot]} with a window of one axis. The parameters are
 * {@code name.weight[filters, c / groups, window...]} (He) and {@code name.bias[filters]} (zeros),
 * as in PyTorch's {@code Conv2d}.
 */
public final class Conv implements Layer {
  /** Value of {@code groups} for one group per channel. */
  private static final long DEPTHWISE = -1;

  /** Largest number of channels of a colour image: red, green, blue and alpha. */
  private static final long MOST_COLORS = 4;

  private final long filters;
  private final Window window;
  private final Options options;
  private final Parameters parameters;

  private record Options(long groups, Initializer weight, Optional<Initializer> bias) {
    static final Options DEFAULT =
        new Options(1, Initializer.he(), Optional.of(Initializer.zeros()));
  }

  /**
   * Creates a layer without parameters yet.
   *
   * @param name name of the layer, the prefix of its parameters
   * @param filters number of filters, the channels of the output
   */
  public Conv(String name, long filters, Window window) {
    this(filters, window, Options.DEFAULT, new Parameters(name));
  }

  private Conv(long filters, Window window, Options options, Parameters parameters) {
    if (filters < 1) {
      throw new ShapeException(
          "[%s] there must be at least one filter; got %s.".formatted(parameters.layer(), filters));
    }
    this.filters = filters;
    this.window = window;
    this.options = options;
    this.parameters = parameters;
  }

  /**
   * Returns this layer with groups: each group of filters reads its own group of channels.
   *
   * @param groups number of groups; must divide the channels and the filters
   */
  public Conv groups(long groups) {
    if (groups < 1) {
      throw new ShapeException(
          "[%s] there must be at least one group; got %s.".formatted(parameters.layer(), groups));
    }
    return with("groups(" + groups + ")", new Options(groups, options.weight, options.bias));
  }

  /**
   * Returns this layer as a depthwise convolution: each filter reads one channel. The number of
   * filters must be a multiple of the number of channels.
   */
  public Conv depthwise() {
    return with("depthwise()", new Options(DEPTHWISE, options.weight, options.bias));
  }

  /** Returns this layer with a bias, or without. */
  public Conv bias(boolean bias) {
    Optional<Initializer> initializer =
        bias ? options.bias.or(() -> Optional.of(Initializer.zeros())) : Optional.empty();
    return with("bias(" + bias + ")", new Options(options.groups, options.weight, initializer));
  }

  /** Returns this layer with an initializer of the bias. */
  public Conv bias(Initializer initializer) {
    return with("bias(...)", new Options(options.groups, options.weight, Optional.of(initializer)));
  }

  /** Returns this layer with an initializer of the weight. */
  public Conv weight(Initializer initializer) {
    return with("weight(...)", new Options(options.groups, initializer, options.bias));
  }

  private Conv with(String option, Options changed) {
    return new Conv(filters, window, changed, parameters.changed(option));
  }

  @Override
  public <T> Variable<T> of(Variable<T> v) {
    int rank = window.rank() + 2;
    long channels = v.dims().rank() == rank ? v.dims().at(1) : Dims.UNKNOWN;
    long groups = options.groups == DEPTHWISE ? channels : options.groups;
    if (channels <= 0 || groups <= 0 || channels % groups != 0 || filters % groups != 0) {
      throw new ShapeException(
          ("[%s] the input must have %s axes, with a known number of channels that the groups"
                  + " divide, as they do the filters; got %s, %s filters, %s%s")
              .formatted(
                  parameters.layer(),
                  rank,
                  v,
                  filters,
                  named(options.groups),
                  v.dims().rank() == rank - 1
                      ? " unsqueeze(v, 1) adds an axis of one channel."
                      : ""));
    }
    warnOfChannelsLast(v);
    long[] shape = window.filters(filters, channels / groups);
    return new Convolution<>(
            parameters.layer(),
            v,
            parameters.parameter("weight", v, options.weight, shape),
            parameters.parameter("bias", v, options.bias, filters),
            window,
            groups)
        .output();
  }

  /** Warns if an input has the extents of {@code [n, height, width, channels]}. */
  private void warnOfChannelsLast(Variable<?> v) {
    int rank = v.dims().rank();
    boolean isImage = v.kind() == Variable.Kind.INPUT && window.rank() == 2;
    long last = v.dims().at(-1);
    if (isImage && last > 0 && last <= MOST_COLORS && least(v.dims()) > 2 * MOST_COLORS) {
      Warnings.warn(
          "ristretto.symbolic",
          ("[%s] images should be [n, channels, height, width]; got %s, with %s channels and a"
                  + " width of %s; permute(v, 0, 3, 1, 2) makes the last axis the channels")
              .formatted(parameters.layer(), v, v.dims().at(1), v.dims().at(rank - 1)));
    }
  }

  /** Returns the smaller of the second and third extent. */
  private static long least(Dims dims) {
    return Math.min(dims.at(1), dims.at(2));
  }

  private static String named(long groups) {
    return groups == DEPTHWISE ? "depthwise." : groups + (groups == 1 ? " group." : " groups.");
  }
}
