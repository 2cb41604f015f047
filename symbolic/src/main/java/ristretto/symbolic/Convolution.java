package ristretto.symbolic;

import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.symbolic.onnx.Attribute;

/**
 * Cross-correlation of {@code v[n, c, ...]} with filters {@code w[f, c / groups, window...]}, plus
 * a bias for each filter: a product of the filters with the windows.
 */
final class Convolution<T> extends Operator {
  private final Variable<T> v;
  private final Variable<T> weight;
  private final Variable<T> bias;
  private final Window window;
  private final long groups;
  private final Variable<T> output;

  Convolution(
      String name,
      Variable<T> v,
      Variable<T> weight,
      Variable<T> bias,
      Window window,
      long groups) {
    super(name, List.of(v, weight, bias));
    this.v = v;
    this.weight = weight;
    this.bias = bias;
    this.window = window;
    this.groups = groups;
    this.output =
        output(
            v.dtype(),
            Probe.infer(
                name, x -> biased(product(x.get(v), x.get(weight)), x.get(bias)), inputs()));
  }

  Variable<T> output() {
    return output;
  }

  private Expr<T> product(Expr<T> images, Expr<T> filters) {
    Expr<T> windows = window.over(images, 0);
    int r = window.rank();
    long[] shape = windows.shape().toArray();
    long n = shape[0];
    long channels = shape[1] / groups;
    long f = filters.shape().dim(0) / groups;
    long size = Arrays.stream(window.sizes()).reduce(1, (a, b) -> a * b);
    long places = 1;
    long[] result = new long[2 + r];
    result[0] = n;
    result[1] = f * groups;
    for (int d = 0; d < r; d++) {
      places *= shape[2 + d];
      result[2 + d] = shape[2 + d];
    }
    // [n, groups, channels, window, places]: the columns that filters are multiplied with.
    int[] order = new int[2 + 2 * r];
    order[1] = 1;
    for (int d = 0; d < r; d++) {
      order[2 + d] = 2 + r + d;
      order[2 + r + d] = 2 + d;
    }
    Expr<T> columns = windows.permute(order).reshape(n, groups, channels * size, places);
    Expr<T> rows = filters.reshape(groups, f, channels * size);
    return Ops.dot(rows, columns).reshape(result);
  }

  private Expr<T> biased(Expr<T> product, Expr<T> bias) {
    return product.plus(ChannelAxis.spread(bias, window.rank() + 2));
  }

  @Override
  protected void forward(Executor x) {
    Expr<T> product = x.keep(output, product(x.get(v), x.get(weight)));
    x.assign(output, biased(product, x.get(bias)));
  }

  @Override
  protected void backward(Executor x) {
    Expr<T> dy = x.gradient(output);
    x.addGradients(product(x.get(v), x.get(weight)), dy, List.of(v, weight));
    x.addGradient(bias, Ops.sum(dy, ChannelAxis.otherAxes(window.rank() + 2)));
  }

  @Override
  void onnx(OnnxGraph graph) {
    Attribute[] attributes = Arrays.copyOf(window.attributes(), window.attributes().length + 1);
    attributes[attributes.length - 1] = new Attribute.Whole("group", groups);
    graph.node(
        output,
        x -> biased(product(x.get(v), x.get(weight)), x.get(bias)),
        "Conv",
        inputs(),
        attributes);
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == v || variable == weight;
  }
}
