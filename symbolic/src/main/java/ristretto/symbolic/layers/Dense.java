package ristretto.symbolic.layers;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/**
 * Fully connected layer over the last axis: {@code v[..., in], w[in, units], b[units] -> v w + b}.
 */
final class Dense<T> extends Operator implements OnnxOperator {
  private final Variable<T> v;
  private final Variable<T> weight;
  private final Variable<T> bias;
  private final Variable<T> output;

  Dense(String name, Variable<T> v, Variable<T> weight, Variable<T> bias) {
    super(name, List.of(v, weight, bias));
    this.v = v;
    this.weight = weight;
    this.bias = bias;
    this.output = output(v.dtype(), x -> Ops.dot(x.get(v), x.get(weight)).plus(x.get(bias)));
  }

  Variable<T> output() {
    return output;
  }

  @Override
  protected void forward(OperatorContext x) {
    Expr<T> product = x.materializeFor(output, Ops.dot(x.get(v), x.get(weight)));
    x.assign(output, product.plus(x.get(bias)));
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
    x.addGradient(bias, Ops.sum(weights, 0));
  }

  @Override
  public void onnx(OnnxGraph graph) {
    String product =
        graph.model.node("MatMul", List.of(graph.value(v).name(), graph.value(weight).name()));
    long[] dims = graph.value(v).shape().extents();
    dims[dims.length - 1] = weight.dims().at(1);
    graph.put(
        output,
        graph.model.node("Add", List.of(product, graph.value(bias).name())),
        Shape.of(dims));
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == v || variable == weight;
  }
}
