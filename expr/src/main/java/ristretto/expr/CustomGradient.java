package ristretto.expr;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Identity with a custom gradient. Only {@link Gradients} use the expressions it depends on;
 * recordings replace it by its operand.
 */
final class CustomGradient<T> extends RExpr<T> {
  private final Gradients.Rule<T> rule;
  private Supplier<? extends List<? extends Expr<?>>> source;
  private List<Expr<?>> dependsOn;

  CustomGradient(
      Expr<T> values, Supplier<? extends List<? extends Expr<?>>> source, Gradients.Rule<T> rule) {
    super(values.dtype(), values.shape(), values);
    this.source = source;
    this.rule = rule;
  }

  /** Expressions that the rule has gradients for. */
  List<Expr<?>> dependsOn() {
    if (dependsOn == null) {
      dependsOn = List.copyOf(source.get());
      source = null;
    }
    return dependsOn;
  }

  List<? extends Expr<?>> gradients(Expr<T> dy, IntPredicate wanted) {
    return rule.gradients(dy, wanted);
  }

  @Override
  protected Scalar read(Reads in) {
    return in.input(0);
  }

  @Override
  protected Object key() {
    return getClass();
  }

  @Override
  public String toString() {
    return "customGradient";
  }
}
