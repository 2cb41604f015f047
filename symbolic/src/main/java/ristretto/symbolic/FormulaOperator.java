package ristretto.symbolic;

import java.util.List;
import ristretto.expr.DType;
import ristretto.symbolic.onnx.Attribute;

/** An operator that is one expression; its gradient is derived. */
final class FormulaOperator<T> extends Operator {
  private final Formula<T> formula;
  private final Variable<T> output;

  /** What ONNX has for it, rather than for the formula. */
  private String type;

  private Attribute[] attributes;

  FormulaOperator(
      String name, DType<T> dtype, Formula<T> formula, List<? extends Variable<?>> inputs) {
    super(name, inputs.stream().distinct().toList());
    this.formula = formula;
    this.output = output(dtype, Probe.infer(name, formula, inputs));
  }

  /** With one operator of ONNX that does the same. */
  FormulaOperator<T> as(String type, Attribute... attributes) {
    this.type = type;
    this.attributes = attributes;
    return this;
  }

  Variable<T> output() {
    return output;
  }

  @Override
  protected void forward(Executor x) {
    x.assign(output, formula.of(x));
  }

  @Override
  protected void backward(Executor x) {
    x.addGradients(formula.of(x), x.gradient(output), inputs());
  }

  @Override
  void onnx(OnnxGraph graph) {
    if (type == null) {
      graph.formula(output, formula);
    } else {
      graph.node(output, formula, type, inputs(), attributes);
    }
  }
}
