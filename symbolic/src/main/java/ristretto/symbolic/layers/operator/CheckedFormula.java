package ristretto.symbolic.layers.operator;

import java.util.List;
import java.util.function.Consumer;
import ristretto.expr.type.DType;
import ristretto.symbolic.graph.Formula;
import ristretto.symbolic.graph.FormulaOperator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Variable;

/** Operator given by one expression, whose inputs are checked before each run. */
public final class CheckedFormula<T> extends FormulaOperator<T> {
  private final Consumer<OperatorContext> check;

  /**
   * Creates the operator.
   *
   * @param check registers checks of the inputs, while a run is recorded
   */
  public CheckedFormula(
      String name,
      DType<T> dtype,
      Consumer<OperatorContext> check,
      Formula<T> formula,
      List<? extends Variable<?>> inputs) {
    super(name, dtype, formula, inputs);
    this.check = check;
  }

  @Override
  protected void forward(OperatorContext x) {
    check.accept(x);
    super.forward(x);
  }
}
