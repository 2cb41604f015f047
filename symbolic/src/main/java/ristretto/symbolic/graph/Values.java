package ristretto.symbolic.graph;

import ristretto.expr.Expr;
import ristretto.expr.type.I64;

/** Inputs of an operator's formula. */
public interface Values {
  /** Returns the value of a variable. */
  <T> Expr<T> get(Variable<T> variable);

  /**
   * Returns true in training mode, in which dropout is active and batch norm updates its running
   * statistics.
   */
  boolean training();

  /**
   * Returns a seed for random numbers; different for each operator and each step, equal in the
   * forward and backward pass of a step.
   */
  Expr<I64> seed();
}
