package ristretto.symbolic.layers;

import ristretto.expr.Ops;
import ristretto.symbolic.graph.Variable;

/** Normalization layers. */
public abstract class NormLayers extends AttentionLayers {
  NormLayers() {}

  /**
   * Layer normalization: mean 0 and variance 1 over the last axis, then scaled and shifted by the
   * learned {@code name.weight} (ones) and {@code name.bias} (zeros).
   */
  public static <T> Variable<T> layerNorm(String name, Variable<T> v) {
    return new LayerNorm(name).of(v);
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
    return new BatchNorm(name, "mean", "variance").of(v);
  }

  /**
   * Group normalization (Wu and He, 2018) of {@code v[n, c, ...]}: mean 0 and variance 1 over each
   * group of channels of each sample, then scaled and shifted by the learned {@code name.weight[c]}
   * (ones) and {@code name.bias[c]} (zeros).
   *
   * @param groups number of groups; must divide the channels
   */
  public static <T> Variable<T> groupNorm(String name, Variable<T> v, long groups) {
    return new GroupNorm(name, groups).of(v);
  }
}
