package ristretto.symbolic.graph;

import ristretto.expr.Expr;

/** Output of an operator as an expression of its inputs. */
@FunctionalInterface
public interface Formula<T> {
  /** Returns the output; called at each recording of a step, and for shape inference. */
  Expr<T> of(Values x);
}
