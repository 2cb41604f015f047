package ristretto.symbolic;

import java.util.List;
import ristretto.expr.DType;

/** An operator that is one expression; its gradient is derived. */
final class FormulaOperator<T> extends Operator {
  private final Formula<T> formula;
  private final Variable<T> output;

  FormulaOperator(
      String name, DType<T> dtype, Formula<T> formula, List<? extends Variable<?>> inputs) {
    super(name, inputs.stream().distinct().toList());
    this.formula = formula;
    this.output = output(dtype, Probe.infer(name, formula, inputs));
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
}
