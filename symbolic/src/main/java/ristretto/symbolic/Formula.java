package ristretto.symbolic;

import ristretto.expr.Expr;

/** What an operator computes, as an expression of its inputs. */
@FunctionalInterface
public interface Formula<T> {
  /** The output; called each time a step is recorded, and to find out shapes. */
  Expr<T> of(Values x);
}
