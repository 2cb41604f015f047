package ristretto.symbolic;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.I32;
import ristretto.expr.Ops;
import ristretto.expr.Slice;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.onnx.Attribute;

/**
 * Operators as static functions of variables, for {@code import static
 * ristretto.symbolic.Layers.*}.
 */
public final class Layers extends LossLayers {
  private Layers() {}

  /**
   * Applies a user-defined operator, given by its formula; the gradient is derived.
   *
   * <pre>{@code
   * Variable<F32> y = apply("swish", F32, x -> x.get(v).times(sigmoid(x.get(v))), v);
   * }</pre>
   *
   * @param name name for messages
   * @param dtype dtype of the result
   * @param inputs variables that the formula reads
   */
  public static <T> Variable<T> apply(
      String name, DType<T> dtype, Formula<T> formula, Variable<?>... inputs) {
    return new FormulaOperator<>(name, dtype, formula, List.of(inputs)).output();
  }

  private static <T> Variable<T> unary(String name, Variable<T> v, UnaryOperator<Expr<T>> f) {
    return apply(name, v.dtype(), x -> f.apply(x.get(v)), v);
  }

  // Activations

  /** ReLU, {@code max(v, 0)}, with slope 0 at 0. */
  public static <T> Variable<T> relu(Variable<T> v) {
    return new Activation<>("relu", v, Ops::relu, (y, dy) -> Ops.where(y.gt(0), dy, 0))
        .as("Relu")
        .output();
  }

  /** Logistic sigmoid, {@code 1 / (1 + exp(-v))}. */
  public static <T> Variable<T> sigmoid(Variable<T> v) {
    return new Activation<>(
            "sigmoid", v, Ops::sigmoid, (y, dy) -> dy.times(y).times(y.neg().plus(1)))
        .as("Sigmoid")
        .output();
  }

  /** Hyperbolic tangent. */
  public static <T> Variable<T> tanh(Variable<T> v) {
    return new Activation<>("tanh", v, Ops::tanh, (y, dy) -> dy.times(y.times(y).neg().plus(1)))
        .as("Tanh")
        .output();
  }

  /** Leaky ReLU: {@code v} above 0, {@code slope v} below. */
  public static <T> Variable<T> leakyRelu(Variable<T> v, double slope) {
    return unary("leakyRelu", v, a -> Ops.where(a.gt(0), a, a.times(slope)));
  }

  /**
   * Exponential linear unit: {@code v} above 0, {@code exp(v) - 1} below (Clevert et al., 2015).
   */
  public static <T> Variable<T> elu(Variable<T> v) {
    return unary("elu", v, a -> Ops.where(a.gt(0), a, Ops.expm1(Ops.min(a, 0.0))));
  }

  /** Gaussian error linear unit (Hendrycks and Gimpel, 2016). */
  public static <T> Variable<T> gelu(Variable<T> v) {
    return unary("gelu", v, Ops::gelu);
  }

  /** Sigmoid linear unit (swish), {@code v sigmoid(v)}. */
  public static <T> Variable<T> silu(Variable<T> v) {
    return unary("silu", v, a -> a.times(Ops.sigmoid(a)));
  }

  /** Softplus, {@code log(1 + exp(v))}, without overflow. */
  public static <T> Variable<T> softplus(Variable<T> v) {
    return unary("softplus", v, a -> Ops.max(a, 0.0).plus(Ops.log1p(Ops.exp(Ops.abs(a).neg()))));
  }

  // Products

  /**
   * Matrix product, {@code a[m, k], b[k, n] -> [m, n]}; for ranks above 2, batched, with broadcast
   * batch dimensions.
   */
  public static <T> Variable<T> dot(Variable<T> a, Variable<T> b) {
    return apply("dot", a.dtype(), x -> Ops.dot(x.get(a), x.get(b)), a, b);
  }

  /**
   * Fully connected layer over the last axis: {@code v[..., in], w[in, units], b[units] -> v w +
   * b}, with new parameters {@code w} (Xavier) and {@code b} (zeros).
   *
   * @param name of the layer; its parameters are {@code name.weight} and {@code name.bias}
   */
  public static <T> Variable<T> dense(String name, Variable<T> v, long units) {
    long in = v.dims().rank() == 0 ? Dims.UNKNOWN : v.dims().at(-1);
    if (in == Dims.UNKNOWN) {
      throw new ShapeException(
          "[" + name + "] the last extent of the input must be known; got " + v + ".");
    }
    Variable<T> w =
        Variable.parameter(name + ".weight", v.dtype(), Initializer.xavier(), in, units);
    Variable<T> b = Variable.parameter(name + ".bias", v.dtype(), Initializer.zeros(), units);
    return dense(name, v, w, b);
  }

  /**
   * Fully connected layer with given parameters, which several layers may share: {@code v[..., in],
   * weight[in, units], bias[units] -> v weight + bias}.
   */
  public static <T> Variable<T> dense(
      String name, Variable<T> v, Variable<T> weight, Variable<T> bias) {
    return new Dense<>(name, v, weight, bias).output();
  }

  // Convolution and pooling

  /**
   * Convolution (as cross-correlation) over all channels, plus a bias for each filter: {@code v[n,
   * c, h, w] -> [n, filters, oh, ow]}, or {@code v[n, c, t] -> [n, filters, ot]} with a window of
   * one axis.
   *
   * @param name of the layer; its parameters are {@code name.weight[filters, c, window...]} (He)
   *     and {@code name.bias[filters]} (zeros)
   */
  public static <T> Variable<T> conv(String name, Variable<T> v, long filters, Window window) {
    return conv(name, v, filters, window, 1);
  }

  /**
   * Grouped convolution: each group of filters reads its own group of channels; the weight is
   * {@code name.weight[filters, c / groups, window...]}.
   *
   * @param groups number of groups; must divide the channels and the filters
   */
  public static <T> Variable<T> conv(
      String name, Variable<T> v, long filters, Window window, long groups) {
    int rank = window.rank() + 2;
    long channels = v.dims().rank() == rank ? v.dims().at(1) : Dims.UNKNOWN;
    boolean fits = channels > 0 && groups > 0 && channels % groups == 0 && filters % groups == 0;
    if (!fits) {
      throw new ShapeException(
          "["
              + name
              + "] the input must have "
              + rank
              + " axes, with a known number of channels that the groups divide, as they do the"
              + " filters; got "
              + v
              + ", "
              + filters
              + " filters, "
              + groups
              + (groups == 1 ? " group." : " groups."));
    }
    long[] shape = new long[rank];
    shape[0] = filters;
    shape[1] = channels / groups;
    System.arraycopy(window.sizes(), 0, shape, 2, window.rank());
    Variable<T> w = Variable.parameter(name + ".weight", v.dtype(), Initializer.he(), shape);
    Variable<T> b = Variable.parameter(name + ".bias", v.dtype(), Initializer.zeros(), filters);
    return new Convolution<>(name, v, w, b, window, groups).output();
  }

  /**
   * Max pooling over the last axes, as many as the window has: {@code v[..., h, w] -> [..., oh,
   * ow]}.
   */
  public static <T> Variable<T> maxPool(Variable<T> v, Window window) {
    return new MaxPool<>(v, window).output();
  }

  /**
   * Average pooling over the last axes, as many as the window has: {@code v[..., h, w] -> [..., oh,
   * ow]}; padding counts as zeros.
   */
  public static <T> Variable<T> averagePool(Variable<T> v, Window window) {
    Attribute[] attributes = Arrays.copyOf(window.attributes(), window.attributes().length + 1);
    attributes[attributes.length - 1] = new Attribute.Whole("count_include_pad", 1);
    return new FormulaOperator<>(
            "averagePool",
            v.dtype(),
            x -> Ops.mean(window.over(x.get(v), 0), window.lastAxes()),
            List.of(v))
        .as("AveragePool", attributes)
        .output();
  }

  // Shapes

  /** Merges all axes but the first into one: {@code v[n, ...] -> [n, k]}. */
  public static <T> Variable<T> flatten(Variable<T> v) {
    return unary("flatten", v, a -> a.reshape(a.shape().dim(0), -1));
  }

  /** Concatenates variables along an axis. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Variable<T> concat(int axis, Variable<T>... parts) {
    List<Variable<T>> all = List.of(parts);
    return apply(
        "concat",
        all.get(0).dtype(),
        x -> Ops.concat(axis, all.stream().map(x::get).toList()),
        parts);
  }

  /** Permutes axes: axis d of the result is axis {@code axes[d]} of {@code v}. */
  public static <T> Variable<T> permute(Variable<T> v, int... axes) {
    return unary("permute", v, a -> a.permute(axes));
  }

  /** Slices a variable like {@link Expr#slice}. */
  public static <T> Variable<T> slice(Variable<T> v, Slice... slices) {
    return unary("slice", v, a -> a.slice(slices));
  }

  /**
   * Embedding, rows of a learned table: {@code indices[...] -> [..., width]}.
   *
   * @param name of the layer; its parameter is {@code name.weight[count, width]} (normal)
   */
  public static Variable<F32> embedding(
      String name, Variable<I32> indices, long count, long width) {
    Variable<F32> table =
        Variable.parameter(name + ".weight", Ops.F32, Initializer.normal(1), count, width);
    return apply(name, Ops.F32, x -> Ops.take(x.get(table), x.get(indices), 0), table, indices);
  }

  // Reductions

  /** Sum over axes, or over all axes if none is named. */
  public static <T> Variable<T> sum(Variable<T> v, int... axes) {
    return unary("sum", v, a -> Ops.sum(a, axes));
  }

  /** Mean over axes, or over all axes if none is named. */
  public static <T> Variable<T> mean(Variable<T> v, int... axes) {
    return unary("mean", v, a -> Ops.mean(a, axes));
  }

  /** Reshapes a variable; one dimension may be -1, like in {@link Expr#reshape}. */
  public static <T> Variable<T> reshape(Variable<T> v, long... dims) {
    return unary("reshape", v, a -> a.reshape(dims));
  }

  // Softmax and dropout

  /** Softmax along an axis, {@code exp(v) / sum(exp(v))}. */
  public static <T> Variable<T> softmax(Variable<T> v, int axis) {
    return new Activation<>(
            "softmax",
            v,
            a -> Ops.softmax(a, axis),
            (y, dy) -> y.times(dy.minus(Ops.sum(dy.times(y), axis).keepDims())))
        .as("Softmax", new Attribute.Whole("axis", axis))
        .output();
  }

  /**
   * Dropout: in training mode, sets random elements to 0 and divides the others by {@code 1 -
   * rate}, which keeps the expected value; the identity in evaluation mode.
   *
   * @param rate probability of dropping an element, from 0 to below 1
   */
  public static <T> Variable<T> dropout(Variable<T> v, double rate) {
    requireRate(rate);
    return apply(
        "dropout",
        v.dtype(),
        x -> {
          Expr<T> a = x.get(v);
          if (!x.training() || rate == 0) {
            return a;
          }
          Expr<T> draw = Ops.uniform(v.dtype(), x.seed(), a.shape().toArray());
          return Ops.where(draw.ge(rate), a.times(1 / (1 - rate)), 0);
        },
        v);
  }

  /** Throws unless a dropout rate is at least 0 and below 1. */
  static void requireRate(double rate) {
    if (!(rate >= 0 && rate < 1)) {
      throw new ShapeException(
          "[dropout] the rate must be at least 0 and below 1; got " + rate + ".");
    }
  }
}
