package ristretto.symbolic.graph;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import ristretto.expr.type.DType;

/** Operator given by one expression, with derived gradient. */
public class FormulaOperator<T> extends Operator {
  private final Formula<T> formula;
  private final boolean crosses;
  private final Variable<T> output;

  /**
   * Creates an operator and infers the dimensions of its output.
   *
   * @throws ristretto.kernels.ShapeException if the inputs do not fit the formula
   */
  public FormulaOperator(
      String name, DType<T> dtype, Formula<T> formula, List<? extends Variable<?>> inputs) {
    var shapes = new ShapeInference(name, formula, inputs.stream().distinct().toList());
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

  /** Returns true if the formula takes gradients across other operators. */
  public final boolean crosses() {
    return crosses;
  }

  /** Applies an operator given by its formula. */
  public static <T> Variable<T> apply(
      String name, DType<T> dtype, Formula<T> formula, Variable<?>... inputs) {
    return new FormulaOperator<>(name, dtype, formula, List.of(inputs)).output();
  }

  /** Returns the formula. */
  public final Formula<T> formula() {
    return formula;
  }

  /** Returns the output. */
  public final Variable<T> output() {
    return output;
  }

  @Override
  protected void forward(OperatorContext x) {
    x.assign(output, formula.of(x));
  }

  @Override
  protected void backward(OperatorContext x) {
    x.addGradients(formula.of(x), x.gradient(output), inputs());
  }
}
