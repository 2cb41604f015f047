package ristretto.symbolic.layers;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.BatchNormOperator;
import ristretto.symbolic.layers.operator.ChannelAxis;

/** Normalization layers. */
public abstract class NormLayers extends AttentionLayers {
  private static final double EPSILON = 1e-5;
  private static final double MOMENTUM = 0.1;

  NormLayers() {}

  /**
   * Layer normalization: mean 0 and variance 1 over the last axis, then scaled and shifted by the
   * learned {@code name.weight} (ones) and {@code name.bias} (zeros).
   */
  public static <T> Variable<T> layerNorm(String name, Variable<T> v) {
    long width = v.dims().rank() == 0 ? Dims.UNKNOWN : v.dims().at(-1);
    if (width == Dims.UNKNOWN) {
      throw new ShapeException(
          "[" + name + "] the last dimension of the input must be known; got " + v + ".");
    }
    Variable<T> w = Variable.parameter(name + ".weight", v.dtype(), Initializer.ones(), width);
    Variable<T> b = Variable.parameter(name + ".bias", v.dtype(), Initializer.zeros(), width);
    return apply(
        name, v.dtype(), x -> Ops.layerNorm(x.get(v), -1).times(x.get(w)).plus(x.get(b)), v, w, b);
  }

  /**
   * Batch normalization (Ioffe and Szegedy, 2015) of {@code v[n, c, ...]} for each channel: with
   * mean and variance of the batch in training mode, with running statistics in evaluation mode;
   * each training batch contributes a tenth to the running statistics. The parameters are {@code
   * name.weight[c]} (ones) and {@code name.bias[c]} (zeros), the states {@code name.mean[c]} and
   * {@code name.variance[c]}.
   *
   * <p>The variance is as exact as {@link Ops#var}. The subtracted mean is rounded, which shifts
   * F32 outputs by up to 1.3e-7 of mean / standard deviation, as in PyTorch, and gradients by a few
   * times that: first subtract a constant from inputs whose mean exceeds 100,000 standard
   * deviations.
   */
  public static <T> Variable<T> batchNorm(String name, Variable<T> v) {
    long channels = channels(name, v);
    return new BatchNormOperator<>(
            name,
            v,
            Variable.parameter(name + ".weight", v.dtype(), Initializer.ones(), channels),
            Variable.parameter(name + ".bias", v.dtype(), Initializer.zeros(), channels),
            Variable.state(name + ".mean", v.dtype(), Initializer.zeros(), channels),
            Variable.state(name + ".variance", v.dtype(), Initializer.ones(), channels),
            MOMENTUM,
            EPSILON)
        .output();
  }

  /**
   * Group normalization (Wu and He, 2018) of {@code v[n, c, ...]}: mean 0 and variance 1 over each
   * group of channels of each sample, then scaled and shifted by the learned {@code name.weight[c]}
   * (ones) and {@code name.bias[c]} (zeros).
   *
   * @param groups number of groups; must divide the channels
   */
  public static <T> Variable<T> groupNorm(String name, Variable<T> v, long groups) {
    long channels = channels(name, v);
    if (groups < 1 || channels % groups != 0) {
      throw new ShapeException(
          "[" + name + "] the groups must divide the channels; got " + groups + " for " + v + ".");
    }
    Variable<T> w = Variable.parameter(name + ".weight", v.dtype(), Initializer.ones(), channels);
    Variable<T> b = Variable.parameter(name + ".bias", v.dtype(), Initializer.zeros(), channels);
    return apply(
        name,
        v.dtype(),
        x -> {
          Expr<T> a = x.get(v);
          long[] shape = a.shape().extents();
          Expr<T> normal = Ops.layerNorm(a.reshape(shape[0], groups, -1), -1, EPSILON);
          int rank = shape.length;
          return normal
              .reshape(shape)
              .times(ChannelAxis.spread(x.get(w), rank))
              .plus(ChannelAxis.spread(x.get(b), rank));
        },
        v,
        w,
        b);
  }

  private static long channels(String name, Variable<?> v) {
    if (v.dims().rank() < 2 || v.dims().at(1) == Dims.UNKNOWN) {
      throw new ShapeException(
          "[" + name + "] the input must be [n, c, ...] with c known; got " + v + ".");
    }
    return v.dims().at(1);
  }
}
