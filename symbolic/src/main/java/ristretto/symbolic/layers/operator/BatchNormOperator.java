package ristretto.symbolic.layers.operator;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
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
  private final Variable<T> weight;
  private final Variable<T> bias;
  private final Variable<T> mean;
  private final Variable<T> variance;
  private final double momentum;
  private final double epsilon;
  private final Variable<T> output;

  /**
   * Creates the operator.
   *
   * @param mean running mean, a state
   * @param variance running variance, a state
   * @param momentum weight of a batch in the running statistics
   */
  public BatchNormOperator(
      String name,
      Variable<T> v,
      Variable<T> weight,
      Variable<T> bias,
      Variable<T> mean,
      Variable<T> variance,
      double momentum,
      double epsilon) {
    super(name, List.of(v, weight, bias, mean, variance));
    this.v = v;
    this.weight = weight;
    this.bias = bias;
    this.mean = mean;
    this.variance = variance;
    this.momentum = momentum;
    this.epsilon = epsilon;
    this.output = output(v.dtype(), v.dims());
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
    x.assign(output, normal(x).times(channels(x.get(weight))).plus(channels(x.get(bias))));
  }

  @Override
  protected void backward(OperatorContext x) {
    Expr<T> dy = x.materialize(x.gradient(output));
    Tensor<T> sum = workspace(x, "sum");
    Tensor<T> product = workspace(x, "product");
    x.write(sum, Ops.sum(dy, axes()));
    x.write(product, Ops.sum(dy.times(normal(x)), axes()));
    x.addGradient(bias, sum);
    x.addGradient(weight, product);
    if (x.wantsGradient(v)) {
      double n = (double) dy.shape().size() / Math.max(1, dy.shape().dim(1));
      Expr<T> along = channels(sum.div(n)).plus(normal(x).times(channels(product.div(n))));
      Expr<T> scale = workspace(x, "scale").times(x.get(weight));
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
    Expr<T> scale = Ops.rsqrt(squares.plus(epsilon)).times(x.get(weight));
    return apart.times(channels(scale)).plus(channels(x.get(bias)));
  }

  @Override
  public void onnx(OnnxGraph graph) {
    graph.node(
        output,
        x -> x.get(v),
        "BatchNormalization",
        List.of(v, weight, bias, mean, variance),
        new Attribute.Real("epsilon", epsilon));
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == v;
  }
}
