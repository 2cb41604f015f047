package ristretto.symbolic;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import ristretto.expr.DType;
import ristretto.symbolic.onnx.Attribute;

/** Operator given by one expression, with derived gradient. */
final class FormulaOperator<T> extends Operator {
  private final Formula<T> formula;
  private final boolean crosses;
  private final Variable<T> output;

  /** ONNX operator to export instead of the formula; null to export the formula. */
  private String type;

  private Attribute[] attributes;

  FormulaOperator(
      String name, DType<T> dtype, Formula<T> formula, List<? extends Variable<?>> inputs) {
    var shapes = new Shapes(name, formula, inputs.stream().distinct().toList());
    Dims dims = shapes.infer();
    super(name, read(inputs, shapes.crossed()));
    this.formula = formula;
    this.crosses = !shapes.crossed().isEmpty();
    this.output = output(dtype, dims);
  }

  /**
   * Returns the inputs, plus the variables read by the backward passes that the formula takes
   * gradients across.
   */
  private static List<Variable<?>> read(List<? extends Variable<?>> inputs, Set<Operator> crossed) {
    var all = new LinkedHashSet<Variable<?>>(inputs);
    for (Operator op : crossed) {
      all.addAll(op.inputs());
      all.addAll(op.outputs());
    }
    return List.copyOf(all);
  }

  @Override
  boolean crosses() {
    return crosses;
  }

  /** Sets the ONNX operator that this operator is exported as. */
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
    if (crosses) {
      throw new OnnxException(
          "[onnx] a formula must not take gradients across other operators; got "
              + name()
              + "; export the variables before it.");
    }
    if (type == null) {
      graph.formula(output, formula);
    } else {
      graph.node(output, formula, type, inputs(), attributes);
    }
  }
}
