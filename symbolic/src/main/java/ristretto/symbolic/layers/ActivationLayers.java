package ristretto.symbolic.layers;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.export.Attribute;

/** Activation functions, softmax and dropout. */
public abstract class ActivationLayers extends PositionLayers {
  ActivationLayers() {}

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

  /** Softmax along an axis, {@code exp(v) / sum(exp(v))}. */
  public static <T> Variable<T> softmax(Variable<T> v, int axis) {
    return new Activation<>(
            "softmax",
            v,
            a -> Ops.softmax(a, axis),
            (y, dy) -> y.times(dy.minus(Ops.sum(dy.times(y), axis).keepDims())))
        .as("Softmax", new Attribute.Int("axis", axis))
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
          Expr<T> draw = Ops.uniform(v.dtype(), x.seed(), a.shape().extents());
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
