package ristretto.symbolic.layers;

import java.util.Arrays;
import java.util.Optional;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.DenseOperator;
import ristretto.symbolic.onnx.export.Attribute;

/** Dense layers, embeddings, convolutions and pooling. */
public abstract class LinearLayers extends ActivationLayers {
  LinearLayers() {}

  /**
   * Fully connected layer over the last axis: {@code v[..., in], w[in, units], b[units] -> v w +
   * b}, with new parameters {@code w} (Xavier) and {@code b} (zeros).
   *
   * @param name of the layer; its parameters are {@code name.weight} and {@code name.bias}
   */
  public static <T> Variable<T> dense(String name, Variable<T> v, long units) {
    return new Dense(name, units).of(v);
  }

  /**
   * Fully connected layer with given parameters, which several layers may share: {@code v[..., in],
   * weight[in, units], bias[units] -> v weight + bias}.
   */
  public static <T> Variable<T> dense(
      String name, Variable<T> v, Variable<T> weight, Variable<T> bias) {
    return new DenseOperator<>(name, v, weight, Optional.of(bias)).output();
  }

  /**
   * Embedding, rows of a learned table: {@code indices[...] -> [..., width]}.
   *
   * @param name of the layer; its parameter is {@code name.weight[count, width]} (normal)
   */
  public static Variable<F32> embedding(
      String name, Variable<I32> indices, long count, long width) {
    return new Embedding(name, count, width).of(indices);
  }

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
    return new Conv(name, filters, window).groups(groups).of(v);
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
    attributes[attributes.length - 1] = new Attribute.Int("count_include_pad", 1);
    return new OnnxFormula<>(
            "averagePool",
            v,
            x -> Ops.mean(window.over(x.get(v), 0), window.lastAxes()),
            "AveragePool",
            attributes)
        .output();
  }
}
