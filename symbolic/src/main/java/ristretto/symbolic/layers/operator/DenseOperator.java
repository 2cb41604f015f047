package ristretto.symbolic.layers.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.RightFactors;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/**
 * Matrix product over the last axis, with an optional bias: {@code v[..., in], w[in, units],
 * b[units] -> v w + b}.
 */
public final class DenseOperator<T> extends Operator implements OnnxOperator, RightFactors {
  private final Variable<T> v;
  private final Variable<T> weight;
  private final Optional<Variable<T>> bias;
  private final Variable<T> output;

  /**
   * Creates the operator.
   *
   * @param bias empty if nothing is added to the product
   */
  public DenseOperator(String name, Variable<T> v, Variable<T> weight, Optional<Variable<T>> bias) {
    super(name, inputs(v, weight, bias));
    this.v = v;
    this.weight = weight;
    this.bias = bias;
    this.output =
        output(
            v.dtype(),
            x -> {
              Expr<T> product = Ops.dot(x.get(v), x.get(weight));
              return bias.map(b -> product.plus(x.get(b))).orElse(product);
            });
  }

  private static <T> List<Variable<T>> inputs(
      Variable<T> v, Variable<T> weight, Optional<Variable<T>> bias) {
    var all = new ArrayList<>(List.of(v, weight));
    bias.ifPresent(all::add);
    return all;
  }

  /** Returns the output. */
  public Variable<T> output() {
    return output;
  }

  @Override
  public List<Variable<?>> rightFactors() {
    return List.of(weight);
  }

  @Override
  protected void forward(OperatorContext x) {
    Expr<T> product = Ops.dot(x.get(v), x.get(weight));
    x.assign(
        output,
        bias.isEmpty() ? product : x.materializeFor(output, product).plus(x.get(bias.get())));
  }

  @Override
  protected void backward(OperatorContext x) {
    Expr<T> dy = x.gradient(output);
    long in = x.get(weight).shape().dim(0);
    long units = x.get(weight).shape().dim(1);
    if (x.wantsGradient(v)) {
      x.addGradient(v, Ops.dot(dy, x.get(weight).t()));
    }
    Expr<T> rows = x.get(v).reshape(-1, in);
    Expr<T> weights = dy.reshape(-1, units);
    x.addGradient(weight, Ops.dot(rows.t(), weights));
    bias.ifPresent(b -> x.addGradient(b, Ops.sum(weights, 0)));
  }

  @Override
  public void onnx(OnnxGraph graph) {
    String product =
        graph.model.node("MatMul", List.of(graph.value(v).name(), graph.value(weight).name()));
    long[] dims = graph.value(v).shape().extents();
    dims[dims.length - 1] = weight.dims().at(1);
    String sum =
        bias.map(b -> graph.model.node("Add", List.of(product, graph.value(b).name())))
            .orElse(product);
    graph.put(output, sum, Shape.of(dims));
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == v || variable == weight;
  }
}
