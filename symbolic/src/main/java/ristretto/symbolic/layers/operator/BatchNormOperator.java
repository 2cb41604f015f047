package ristretto.symbolic.layers.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.export.Attribute;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/**
 * Batch normalization (Ioffe and Szegedy, 2015) of {@code v[n, c, ...]}: channels with mean 0 and
 * variance 1, then scaled and shifted. In training mode, mean and variance are those of the batch,
 * and update the running statistics; evaluation mode uses the running statistics.
 */
public final class BatchNormOperator<T> extends Operator implements OnnxOperator {
  private final Variable<T> v;
  private final Optional<Variable<T>> weight;
  private final Optional<Variable<T>> bias;
  private final Variable<T> mean;
  private final Variable<T> variance;
  private final double momentum;
  private final double epsilon;
  private final Variable<T> output;

  /**
   * Creates the operator.
   *
   * @param weight scale of each channel; empty if the result is not scaled
   * @param bias shift of each channel; empty if the result is not shifted
   * @param mean running mean, a state
   * @param variance running variance, a state
   * @param momentum weight of a batch in the running statistics
   */
  public BatchNormOperator(
      String name,
      Variable<T> v,
      Optional<Variable<T>> weight,
      Optional<Variable<T>> bias,
      Variable<T> mean,
      Variable<T> variance,
      double momentum,
      double epsilon) {
    super(name, inputs(v, weight, bias, mean, variance));
    this.v = v;
    this.weight = weight;
    this.bias = bias;
    this.mean = mean;
    this.variance = variance;
    this.momentum = momentum;
    this.epsilon = epsilon;
    this.output = output(v.dtype(), v.dims());
  }

  private static <T> List<Variable<T>> inputs(
      Variable<T> v,
      Optional<Variable<T>> weight,
      Optional<Variable<T>> bias,
      Variable<T> mean,
      Variable<T> variance) {
    var all = new ArrayList<>(List.of(v));
    weight.ifPresent(all::add);
    bias.ifPresent(all::add);
    all.add(mean);
    all.add(variance);
    return all;
  }

  /** Returns the output. */
  public Variable<T> output() {
    return output;
  }

  private int[] axes() {
    return ChannelAxis.otherAxes(v.dims().rank());
  }

  private Expr<T> channels(Expr<T> a) {
    return ChannelAxis.spread(a, v.dims().rank());
  }

  private Tensor<T> workspace(OperatorContext x, String what) {
    return x.workspace(what, v.dtype(), v.dims().at(1));
  }

  /**
   * Returns the variance, given the elements minus their rounded mean, as {@link Ops#var} computes
   * it: the mean of the differences is the rounding error of the mean.
   */
  private Expr<T> variance(Expr<T> apart) {
    Expr<T> rest = Ops.mean(apart, axes());
    Expr<T> squares = Ops.mean(Ops.square(apart), axes());
    return Ops.max(squares.minus(Ops.square(rest)), Ops.scalar(v.dtype(), 0.0));
  }

  private Expr<T> normal(OperatorContext x) {
    boolean batch = x.training();
    Expr<T> middle = batch ? workspace(x, "mean") : x.get(mean);
    Expr<T> scale = batch ? workspace(x, "scale") : Ops.rsqrt(x.get(variance).plus(epsilon));
    return x.get(v).minus(channels(middle)).times(channels(scale));
  }

  @Override
  protected void forward(OperatorContext x) {
    if (x.training()) {
      Expr<T> a = x.get(v);
      if (a.shape().size() == a.shape().dim(1)) {
        throw new ShapeException(
            ("[%s] in training, batch normalization must have more than one value for each channel;"
                    + " got %s of shape %s; use larger batches, and dropLast() if the last one is"
                    + " smaller.")
                .formatted(name(), v, a.shape()));
      }
      Tensor<T> middle = workspace(x, "mean");
      Tensor<T> squares = workspace(x, "variance");
      x.write(middle, Ops.mean(a, axes()));
      x.write(squares, variance(a.minus(channels(middle))));
      x.write(workspace(x, "scale"), Ops.rsqrt(squares.plus(epsilon)));
      double n = (double) a.shape().size() / Math.max(1, a.shape().dim(1));
      Expr<T> unbiased = squares.times(n / Math.max(1, n - 1));
      x.assignState(mean, x.get(mean).times(1 - momentum).plus(middle.times(momentum)));
      x.assignState(variance, x.get(variance).times(1 - momentum).plus(unbiased.times(momentum)));
    }
    Expr<T> normal = normal(x);
    Expr<T> scaled = weight.map(w -> normal.times(channels(x.get(w)))).orElse(normal);
    x.assign(output, bias.map(b -> scaled.plus(channels(x.get(b)))).orElse(scaled));
  }

  @Override
  protected void backward(OperatorContext x) {
    Expr<T> dy = x.materialize(x.gradient(output));
    Tensor<T> sum = workspace(x, "sum");
    Tensor<T> product = workspace(x, "product");
    x.write(sum, Ops.sum(dy, axes()));
    x.write(product, Ops.sum(dy.times(normal(x)), axes()));
    bias.ifPresent(b -> x.addGradient(b, sum));
    weight.ifPresent(w -> x.addGradient(w, product));
    if (x.wantsGradient(v)) {
      double n = (double) dy.shape().size() / Math.max(1, dy.shape().dim(1));
      Expr<T> along = channels(sum.div(n)).plus(normal(x).times(channels(product.div(n))));
      Expr<T> deviations = workspace(x, "scale");
      Expr<T> scale = weight.map(w -> deviations.times(x.get(w))).orElse(deviations);
      x.addGradient(v, dy.minus(along).times(channels(scale)));
    }
  }

  @Override
  protected void backwardThrough(OperatorContext x) {
    x.addGradients(formula(x), x.gradient(output), inputs());
  }

  private Expr<T> formula(Values x) {
    Expr<T> a = x.get(v);
    Expr<T> middle = x.training() ? Ops.mean(a, axes()) : x.get(mean);
    Expr<T> apart = a.minus(channels(middle));
    Expr<T> squares = x.training() ? Ops.var(a, axes()) : x.get(variance);
    Expr<T> deviations = Ops.rsqrt(squares.plus(epsilon));
    Expr<T> scale = weight.map(w -> deviations.times(x.get(w))).orElse(deviations);
    Expr<T> scaled = apart.times(channels(scale));
    return bias.map(b -> scaled.plus(channels(x.get(b)))).orElse(scaled);
  }

  @Override
  public void onnx(OnnxGraph graph) {
    List<String> inputs =
        List.of(
            graph.value(v).name(),
            value(graph, weight, ".weight", 1),
            value(graph, bias, ".bias", 0),
            graph.value(mean).name(),
            graph.value(variance).name());
    String result =
        graph.model.node("BatchNormalization", inputs, new Attribute.Real("epsilon", epsilon));
    graph.put(output, result, graph.value(v).shape());
  }

  private String value(
      OnnxGraph graph, Optional<Variable<T>> parameter, String name, double constant) {
    return parameter
        .map(p -> graph.value(p).name())
        .orElseGet(
            () -> graph.constant(name() + name, Ops.fill(v.dtype(), constant, v.dims().at(1))));
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == v;
  }
}
