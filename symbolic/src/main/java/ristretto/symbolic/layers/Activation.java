package ristretto.symbolic.layers;

import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import ristretto.expr.Expr;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.export.Attribute;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/** Operator whose gradient is computed from its output, so that its input need not be stored. */
final class Activation<T> extends Operator implements OnnxOperator {
  private final Variable<T> input;
  private final Variable<T> output;
  private final UnaryOperator<Expr<T>> f;
  private final BinaryOperator<Expr<T>> slope;
  private String type;
  private Attribute[] attributes;

  /**
   * Creates an activation of one input.
   *
   * @param slope computes the gradient of the input from the output and the output's gradient
   */
  Activation(
      String name, Variable<T> input, UnaryOperator<Expr<T>> f, BinaryOperator<Expr<T>> slope) {
    super(name, List.of(input));
    this.input = input;
    this.f = f;
    this.slope = slope;
    this.output = output(input.dtype(), x -> f.apply(x.get(input)));
  }

  Variable<T> output() {
    return output;
  }

  @Override
  protected void forward(OperatorContext x) {
    x.assign(output, f.apply(x.get(input)));
  }

  @Override
  protected void backward(OperatorContext x) {
    x.addGradient(input, slope.apply(x.get(output), x.gradient(output)));
  }

  /** Sets the ONNX operator that this operator is exported as. */
  Activation<T> as(String type, Attribute... attributes) {
    this.type = type;
    this.attributes = attributes;
    return this;
  }

  @Override
  public void onnx(OnnxGraph graph) {
    graph.node(output, x -> f.apply(x.get(input)), type, inputs(), attributes);
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == output;
  }
}
