package ristretto.symbolic.layers;

import java.util.Arrays;
import java.util.Optional;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
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
    Variable<F32> table =
        Variable.parameter(name + ".weight", Ops.F32, Initializer.normal(1), count, width);
    return apply(name, Ops.F32, x -> Ops.take(x.get(table), x.get(indices), 0), table, indices);
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
    int rank = window.rank() + 2;
    long channels = v.dims().rank() == rank ? v.dims().at(1) : Dims.UNKNOWN;
    boolean fits = channels > 0 && groups > 0 && channels % groups == 0 && filters % groups == 0;
    if (!fits) {
      throw new ShapeException(
          ("[%s] the input must have %s axes, with a known number of channels that the groups"
                  + " divide, as they do the filters; got %s, %s filters, %s%s")
              .formatted(name, rank, v, filters, groups, groups == 1 ? " group." : " groups."));
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
