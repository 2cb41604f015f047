package ristretto.symbolic;

import ristretto.expr.Expr;
import ristretto.expr.I64;

/** What an operator computes its outputs from. */
public interface Values {
  /** The value of a variable. */
  <T> Expr<T> get(Variable<T> variable);

  /** True while training: dropout drops, batch norm learns its means. */
  boolean training();

  /**
   * A seed for random numbers: another one for each operator and each step, the same in the
   * backward as in the forward pass of a step.
   */
  Expr<I64> seed();
}
