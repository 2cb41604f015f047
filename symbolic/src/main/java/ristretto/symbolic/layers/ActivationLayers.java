package ristretto.symbolic.layers;

import java.util.Arrays;
import java.util.List;
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

  /**
   * Gaussian error linear unit (Hendrycks and Gimpel, 2016) in its tanh approximation, as in GPT-2.
   */
  public static <T> Variable<T> gelu(Variable<T> v) {
    return unary("gelu", v, Ops::gelu);
  }

  /**
   * Exact Gaussian error linear unit, {@code v Phi(v)} with the normal distribution function {@code
   * Phi}, as in BERT and PyTorch's default.
   */
  public static <T> Variable<T> geluErf(Variable<T> v) {
    return unary("geluErf", v, Ops::geluErf);
  }

  /** Sigmoid linear unit (swish), {@code v sigmoid(v)}. */
  public static <T> Variable<T> silu(Variable<T> v) {
    return unary("silu", v, a -> a.times(Ops.sigmoid(a)));
  }

  /** Hard sigmoid, {@code clamp(v + 3, 0, 6) / 6}, as PyTorch's {@code hardsigmoid}. */
  public static <T> Variable<T> hardSigmoid(Variable<T> v) {
    return unary("hardSigmoid", v, ActivationLayers::hardGate);
  }

  /**
   * Hard swish, {@code v clamp(v + 3, 0, 6) / 6} (Howard et al., 2019), as PyTorch's {@code
   * hardswish}.
   */
  public static <T> Variable<T> hardSwish(Variable<T> v) {
    return unary("hardSwish", v, a -> a.times(hardGate(a)));
  }

  private static <T> Expr<T> hardGate(Expr<T> a) {
    return Ops.min(Ops.max(a.plus(3), 0.0), 6.0).div(6);
  }

  /**
   * Gated linear unit (Dauphin et al., 2017): {@code a sigmoid(b)} for the halves a and b of the
   * last axis, {@code v[..., 2 width] -> [..., width]}.
   */
  public static <T> Variable<T> glu(Variable<T> v) {
    return unary(
        "glu",
        v,
        a -> {
          List<Expr<T>> halves = Ops.split(a, 2, -1);
          return halves.get(0).times(Ops.sigmoid(halves.get(1)));
        });
  }

  /**
   * Gated linear unit with SiLU (SwiGLU; Shazeer, 2020): {@code silu(gate) up} for the halves gate
   * and up of the last axis, {@code v[..., 2 width] -> [..., width]}. The gate is the first half,
   * as in Llama; in {@link #glu} it is the second.
   */
  public static <T> Variable<T> swiGlu(Variable<T> v) {
    return unary(
        "swiGlu",
        v,
        a -> {
          List<Expr<T>> halves = Ops.split(a, 2, -1);
          return Ops.silu(halves.get(0)).times(halves.get(1));
        });
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

  /**
   * Dropout of whole channels of {@code v[n, c, ...]} (Tompson et al., 2015; Dropout2d in PyTorch):
   * in training mode, sets random channels of each sample to 0 and divides the others by {@code 1 -
   * rate}; the identity in evaluation mode.
   *
   * @param rate probability of dropping a channel, from 0 to below 1
   */
  public static <T> Variable<T> channelDropout(Variable<T> v, double rate) {
    return dropout("channelDropout", v, rate, 2);
  }

  /**
   * Stochastic depth (DropPath; Huang et al., 2016) of {@code v[n, ...]}, for the branch of a
   * residual block: in training mode, sets random samples to 0 and divides the others by {@code 1 -
   * rate}; the identity in evaluation mode.
   *
   * @param rate probability of dropping a sample, from 0 to below 1
   */
  public static <T> Variable<T> dropPath(Variable<T> v, double rate) {
    return dropout("dropPath", v, rate, 1);
  }

  /** Dropout with one draw for all elements at the same place of the first axes. */
  private static <T> Variable<T> dropout(String name, Variable<T> v, double rate, int axes) {
    requireRate(name, rate);
    if (v.dims().rank() < axes) {
      throw new ShapeException(
          "[%s] the input must have at least %s; got %s."
              .formatted(name, axes == 1 ? "one axis" : "two axes", v));
    }
    return apply(
        name,
        v.dtype(),
        x -> {
          Expr<T> a = x.get(v);
          if (!x.training() || rate == 0) {
            return a;
          }
          long[] dims = a.shape().extents();
          Arrays.fill(dims, axes, dims.length, 1);
          Expr<T> draw = Ops.uniform(v.dtype(), x.seed(), dims);
          return Ops.where(draw.ge(rate), a.times(1 / (1 - rate)), 0);
        },
        v);
  }

  /** Throws unless a dropout rate is at least 0 and below 1. */
  static void requireRate(double rate) {
    requireRate("dropout", rate);
  }

  private static void requireRate(String name, double rate) {
    if (!(rate >= 0 && rate < 1)) {
      throw new ShapeException(
          "[" + name + "] the rate must be at least 0 and below 1; got " + rate + ".");
    }
  }
}
