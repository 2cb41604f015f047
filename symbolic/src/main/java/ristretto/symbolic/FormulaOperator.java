package ristretto.symbolic;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;

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
    var wanted = new ArrayList<Variable<?>>();
    var values = new ArrayList<Expr<?>>();
    for (Variable<?> in : inputs()) {
      if (x.wantsGradient(in)) {
        wanted.add(in);
        values.add(x.get(in));
      }
    }
    List<Expr<?>> gradients = Gradients.partial(formula.of(x), x.gradient(output), values);
    for (int k = 0; k < wanted.size(); k++) {
      add(x, wanted.get(k), gradients.get(k));
    }
  }

  @SuppressWarnings("unchecked")
  private static <R> void add(Executor x, Variable<R> variable, Expr<?> gradient) {
    x.addGradient(variable, (Expr<R>) gradient);
  }
}
