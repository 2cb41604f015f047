package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.ChannelAxis;
import ristretto.symbolic.onnx.export.Attribute;
import ristretto.symbolic.onnx.export.OnnxGraph;

/**
 * Transposed convolution, the gradient of a convolution by its input (Zeiler et al., 2010), which
 * enlarges images: {@code v[n, c, h, w] -> [n, filters, oh, ow]} with {@code oh = (h - 1) stride -
 * padding + dilation (size - 1) + 1}, where the padding is the sum of both ends. The parameters are
 * {@code name.weight[c, filters / groups, window...]} (He) and {@code name.bias[filters]} (zeros),
 * as in PyTorch's {@code ConvTranspose2d}.
 */
public final class ConvTranspose implements Layer {
  private final long filters;
  private final Window window;
  private final Options options;
  private final Parameters parameters;

  private record Options(long groups, Initializer weight, Optional<Initializer> bias) {}

  /** Additional elements of the output along each axis. */
  private final long[] outputPadding;

  /**
   * Creates a layer without parameters yet.
   *
   * @param name name of the layer, the prefix of its parameters
   * @param filters number of channels of the output
   * @param window window of the convolution from the output to the input
   */
  public ConvTranspose(String name, long filters, Window window) {
    this(
        filters,
        window,
        new Options(1, Initializer.he(), Optional.of(Initializer.zeros())),
        new long[window.rank()],
        new Parameters(name));
  }

  private ConvTranspose(
      long filters, Window window, Options options, long[] outputPadding, Parameters parameters) {
    if (filters < 1) {
      throw new ShapeException(
          "[%s] there must be at least one filter; got %s.".formatted(parameters.layer(), filters));
    }
    this.filters = filters;
    this.window = window;
    this.options = options;
    this.outputPadding = outputPadding;
    this.parameters = parameters;
  }

  /**
   * Returns this layer with groups: each group of channels of the output depends on its own group
   * of channels of the input.
   *
   * @param groups number of groups; must divide the channels and the filters
   */
  public ConvTranspose groups(long groups) {
    if (groups < 1) {
      throw new ShapeException(
          "[%s] there must be at least one group; got %s.".formatted(parameters.layer(), groups));
    }
    return with("groups(" + groups + ")", new Options(groups, options.weight, options.bias));
  }

  /**
   * Returns this layer with additional rows and columns at the end of the output, which a stride
   * leaves open: below the stride or the dilation along each axis.
   */
  public ConvTranspose outputPadding(long... more) {
    String option = "outputPadding(" + Arrays.toString(more) + ")";
    if (!window.isBelowStride(more)) {
      throw new ShapeException(
          ("[%s] output padding must be one number for each axis of the window, from 0 to below the"
                  + " stride or the dilation; got %s for %s.")
              .formatted(parameters.layer(), Arrays.toString(more), window));
    }
    return new ConvTranspose(filters, window, options, more.clone(), parameters.changed(option));
  }

  /** Returns this layer with a bias, or without. */
  public ConvTranspose bias(boolean bias) {
    Optional<Initializer> initializer =
        bias ? options.bias.or(() -> Optional.of(Initializer.zeros())) : Optional.empty();
    return with("bias(" + bias + ")", new Options(options.groups, options.weight, initializer));
  }

  /** Returns this layer with an initializer of the bias. */
  public ConvTranspose bias(Initializer initializer) {
    return with("bias(...)", new Options(options.groups, options.weight, Optional.of(initializer)));
  }

  /** Returns this layer with an initializer of the weight. */
  public ConvTranspose weight(Initializer initializer) {
    return with("weight(...)", new Options(options.groups, initializer, options.bias));
  }

  private ConvTranspose with(String option, Options changed) {
    return new ConvTranspose(filters, window, changed, outputPadding, parameters.changed(option));
  }

  @Override
  public <T> Variable<T> of(Variable<T> v) {
    int rank = window.rank() + 2;
    long channels = v.dims().rank() == rank ? v.dims().at(1) : Dims.UNKNOWN;
    long groups = options.groups;
    if (channels <= 0 || channels % groups != 0 || filters % groups != 0) {
      throw new ShapeException(
          ("[%s] the input must have %s axes, with a known number of channels that the groups"
                  + " divide, as they do the filters; got %s, %s filters, %s%s")
              .formatted(
                  parameters.layer(),
                  rank,
                  v,
                  filters,
                  groups,
                  groups == 1 ? " group." : " groups."));
    }
    Variable<T> weight =
        parameters.parameter(
            "weight", v, options.weight, window.filters(channels, filters / groups));
    Optional<Variable<T>> bias = parameters.parameter("bias", v, options.bias, filters);
    var inputs = new ArrayList<>(List.of(v, weight));
    bias.ifPresent(inputs::add);
    return new OnnxFormula<>(
            parameters.layer(),
            v.dtype(),
            x -> {
              Expr<T> y = product(x, v, weight);
              return bias.map(b -> y.plus(ChannelAxis.spread(x.get(b), rank))).orElse(y);
            },
            inputs,
            "ConvTranspose",
            attributes())
        .output();
  }

  private <T> Expr<T> product(Values x, Variable<T> v, Variable<T> weight) {
    Expr<T> results = x.get(v);
    boolean direct = v.dtype() == (Object) Ops.F32 || v.dtype() == (Object) Ops.F64;
    return direct
        ? transposed(results, x.get(weight))
        : transposed(results.cast(Ops.F32), x.get(weight).cast(Ops.F32)).cast(v.dtype());
  }

  /**
   * Returns the gradient of the convolution by its images. The convolution is linear, so that the
   * gradient is the same for any images.
   */
  @SuppressWarnings("unchecked")
  private <T> Expr<T> transposed(Expr<T> results, Expr<T> weight) {
    long[] shape = window.transposed(results.shape(), filters, outputPadding);
    Expr<T> images = Ops.fill(results.dtype(), 0, shape);
    Expr<T> convolution =
        window.convolution(window.even(images), weight, options.groups).orElseThrow();
    return (Expr<T>) Gradients.partial(convolution, results, List.of(images)).get(0);
  }

  private Attribute[] attributes() {
    var all = new ArrayList<>(List.of(window.attributes()));
    all.add(new Attribute.Int("group", options.groups));
    all.add(OnnxGraph.wholes("output_padding", outputPadding));
    return all.toArray(Attribute[]::new);
  }
}
