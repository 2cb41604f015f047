package ristretto.symbolic;

import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.I32;
import ristretto.expr.Ops;
import ristretto.kernels.ShapeException;

/** Operators as functions of variables, for {@code import static ristretto.symbolic.Layers.*}. */
public final class Layers {
  private Layers() {}

  /**
   * An operator of your own, by its formula alone: the gradient is derived.
   *
   * <pre>{@code
   * Variable<F32> y = apply("swish", F32, x -> x.get(v).times(sigmoid(x.get(v))), v);
   * }</pre>
   *
   * @param name for messages
   * @param dtype of the result
   * @param inputs what the formula reads
   */
  public static <T> Variable<T> apply(
      String name, DType<T> dtype, Formula<T> formula, Variable<?>... inputs) {
    return new FormulaOperator<>(name, dtype, formula, List.of(inputs)).output();
  }

  private static <T> Variable<T> unary(String name, Variable<T> v, UnaryOperator<Expr<T>> f) {
    return apply(name, v.dtype(), x -> f.apply(x.get(v)), v);
  }

  // Activations

  /** {@code max(v, 0)}; slope 0 at 0. */
  public static <T> Variable<T> relu(Variable<T> v) {
    return new Activation<>("relu", v, Ops::relu, (y, dy) -> Ops.where(y.gt(0), dy, 0)).output();
  }

  /** {@code 1 / (1 + exp(-v))}. */
  public static <T> Variable<T> sigmoid(Variable<T> v) {
    return new Activation<>(
            "sigmoid", v, Ops::sigmoid, (y, dy) -> dy.times(y).times(y.neg().plus(1)))
        .output();
  }

  /** Hyperbolic tangent. */
  public static <T> Variable<T> tanh(Variable<T> v) {
    return new Activation<>("tanh", v, Ops::tanh, (y, dy) -> dy.times(y.times(y).neg().plus(1)))
        .output();
  }

  /** {@code v} above 0, {@code slope v} below. */
  public static <T> Variable<T> leakyRelu(Variable<T> v, double slope) {
    return unary("leakyRelu", v, a -> Ops.where(a.gt(0), a, a.times(slope)));
  }

  /** {@code v} above 0, {@code exp(v) - 1} below (Clevert et al., 2015). */
  public static <T> Variable<T> elu(Variable<T> v) {
    return unary("elu", v, a -> Ops.where(a.gt(0), a, Ops.expm1(Ops.min(a, 0.0))));
  }

  /** Gaussian error linear unit (Hendrycks and Gimpel, 2016). */
  public static <T> Variable<T> gelu(Variable<T> v) {
    return unary("gelu", v, Ops::gelu);
  }

  /** {@code v sigmoid(v)}. */
  public static <T> Variable<T> silu(Variable<T> v) {
    return unary("silu", v, a -> a.times(Ops.sigmoid(a)));
  }

  /** {@code log(1 + exp(v))} without overflow. */
  public static <T> Variable<T> softplus(Variable<T> v) {
    return unary("softplus", v, a -> Ops.max(a, 0.0).plus(Ops.log1p(Ops.exp(Ops.abs(a).neg()))));
  }

  // Products

  /** Matrix product, batched with broadcasting for rank above 2. */
  public static <T> Variable<T> dot(Variable<T> a, Variable<T> b) {
    return apply("dot", a.dtype(), x -> Ops.dot(x.get(a), x.get(b)), a, b);
  }

  /**
   * {@code v w + b} with parameters {@code w[in, units]} (Xavier) and {@code b[units]} (zeros): a
   * fully connected layer over the last axis of {@code v[..., in]}.
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

  /** The same with parameters that may be shared. */
  public static <T> Variable<T> dense(
      String name, Variable<T> v, Variable<T> weight, Variable<T> bias) {
    return new Dense<>(name, v, weight, bias).output();
  }

  // Shapes

  /** As {@link Expr#reshape}; one extent may be -1. */
  public static <T> Variable<T> reshape(Variable<T> v, long... dims) {
    return unary("reshape", v, a -> a.reshape(dims));
  }

  // Rows

  /** {@code exp(v) / sum(exp(v))} along an axis. */
  public static <T> Variable<T> softmax(Variable<T> v, int axis) {
    return new Activation<>(
            "softmax",
            v,
            a -> Ops.softmax(a, axis),
            (y, dy) -> y.times(dy.minus(Ops.sum(dy.times(y), axis).keepDims())))
        .output();
  }

  /**
   * Zeros instead of a part of the elements while training, the others scaled so that sums stay the
   * same on average; nothing otherwise.
   *
   * @param rate the part that is dropped
   */
  public static <T> Variable<T> dropout(Variable<T> v, double rate) {
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

  // Losses

  /**
   * Mean over the rows of {@code -log softmax(logits)[label]}.
   *
   * @param logits {@code [n, classes]}
   * @param labels {@code [n]}, the classes' numbers
   */
  public static <T> Variable<T> softmaxCrossEntropy(Variable<T> logits, Variable<I32> labels) {
    return new CrossEntropy<>(logits, labels).output();
  }

  /** Mean of the squared differences. */
  public static <T> Variable<T> meanSquaredError(Variable<T> a, Variable<T> b) {
    return apply(
        "meanSquaredError", a.dtype(), x -> Ops.mean(Ops.square(x.get(a).minus(x.get(b)))), a, b);
  }
}
