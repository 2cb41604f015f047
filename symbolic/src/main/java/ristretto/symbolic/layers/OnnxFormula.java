package ristretto.symbolic.layers;

import java.util.List;
import ristretto.expr.type.DType;
import ristretto.symbolic.graph.Formula;
import ristretto.symbolic.graph.FormulaOperator;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.export.Attribute;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/** Operator given by a formula, exported as one ONNX operator instead. */
final class OnnxFormula<T> extends FormulaOperator<T> implements OnnxOperator {
  private final String type;
  private final Attribute[] attributes;

  /**
   * Creates an operator of one input.
   *
   * @param type the ONNX operator
   */
  OnnxFormula(
      String name, Variable<T> input, Formula<T> formula, String type, Attribute... attributes) {
    this(name, input.dtype(), formula, List.of(input), type, attributes);
  }

  /**
   * Creates an operator of several inputs, in the order of the ONNX operator's.
   *
   * @param type the ONNX operator
   */
  OnnxFormula(
      String name,
      DType<T> dtype,
      Formula<T> formula,
      List<? extends Variable<?>> inputs,
      String type,
      Attribute... attributes) {
    super(name, dtype, formula, inputs);
    this.type = type;
    this.attributes = attributes;
  }

  @Override
  public void onnx(OnnxGraph graph) {
    graph.node(output(), formula(), type, inputs(), attributes);
  }
}
