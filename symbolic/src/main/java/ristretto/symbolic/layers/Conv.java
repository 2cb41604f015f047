package ristretto.symbolic.layers;

import java.util.Optional;
import ristretto.expr.type.PaddingMode;
import ristretto.kernels.ShapeException;
import ristretto.kernels.debug.Warnings;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.FormulaOperator;
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

  private record Options(
      long groups, Initializer weight, Optional<Initializer> bias, PaddingMode padding) {
    static final Options DEFAULT =
        new Options(1, Initializer.he(), Optional.of(Initializer.zeros()), PaddingMode.ZEROS);

    Options groups(long count) {
      return new Options(count, weight, bias, padding);
    }

    Options bias(Optional<Initializer> initializer) {
      return new Options(groups, weight, initializer, padding);
    }
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
    return with("groups(" + groups + ")", options.groups(groups));
  }

  /**
   * Returns this layer as a depthwise convolution: each filter reads one channel. The number of
   * filters must be a multiple of the number of channels.
   */
  public Conv depthwise() {
    return with("depthwise()", options.groups(DEPTHWISE));
  }

  /** Returns this layer with a bias, or without. */
  public Conv bias(boolean bias) {
    Optional<Initializer> initializer =
        bias ? options.bias.or(() -> Optional.of(Initializer.zeros())) : Optional.empty();
    return with("bias(" + bias + ")", options.bias(initializer));
  }

  /** Returns this layer with an initializer of the bias. */
  public Conv bias(Initializer initializer) {
    return with("bias(...)", options.bias(Optional.of(initializer)));
  }

  /** Returns this layer with an initializer of the weight. */
  public Conv weight(Initializer initializer) {
    Options changed = new Options(options.groups, initializer, options.bias, options.padding);
    return with("weight(...)", changed);
  }

  /**
   * Returns this layer with the values of the padding: zeros, or elements of the input. PyTorch's
   * {@code padding_mode}.
   */
  public Conv paddingMode(PaddingMode mode) {
    Options changed = new Options(options.groups, options.weight, options.bias, mode);
    return with("paddingMode(" + mode + ")", changed);
  }

  /**
   * Returns this layer with padding as PyTorch names it: {@code "same"} for outputs of the input's
   * size, with an odd element at the end, or {@code "valid"} for none.
   *
   * @throws ShapeException for another name, for {@code "same"} with strides, or if the window has
   *     padding already
   */
  public Conv padding(String padding) {
    if (!padding.equals("same") && !padding.equals("valid")) {
      throw new ShapeException(
          ("[%s] padding must be \"same\" or \"valid\"; got \"%s\"; amounts are set by"
                  + " Window.padding.")
              .formatted(parameters.layer(), padding));
    }
    boolean same = padding.equals("same");
    if (same && window.isStrided()) {
      throw new ShapeException(
          ("[%s] padding \"same\" must have strides of 1, as in PyTorch; got %s; set amounts by"
                  + " Window.padding, or Window.same for the input's size over the stride.")
              .formatted(parameters.layer(), window));
    }
    if (window.isPadded()) {
      throw new ShapeException(
          "[%s] padding must be set once; got padding(\"%s\") and %s; omit one."
              .formatted(parameters.layer(), padding, window));
    }
    Parameters fresh = parameters.changed("padding(\"" + padding + "\")");
    return new Conv(filters, same ? window.same() : window, options, fresh);
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
    boolean zeros = options.padding == PaddingMode.ZEROS || !window.isPadded();
    return new Convolution<>(
            parameters.layer(),
            zeros ? v : padded(v),
            parameters.parameter("weight", v, options.weight, shape),
            parameters.parameter("bias", v, options.bias, filters),
            zeros ? window : window.unpadded(),
            groups)
        .output();
  }

  private <T> Variable<T> padded(Variable<T> v) {
    return FormulaOperator.apply(
        parameters.layer() + ".padding", v.dtype(), x -> window.pad(x.get(v), options.padding), v);
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
