package ristretto.llm.model;

import ristretto.expr.Expr;
import ristretto.expr.type.F32;

/** Attention of new tokens to themselves and to earlier ones. */
@FunctionalInterface
public interface Attention {
  /**
   * Stores keys and values of the new tokens, and lets the queries attend to those of all tokens up
   * to their own.
   *
   * @param layer number of the layer
   * @param q queries {@code [tokens, heads, width of a head]}
   * @param k keys {@code [tokens, key heads, width of a head]}
   * @param v values, like the keys
   * @return {@code [tokens, heads * width of a head]}
   */
  Expr<F32> of(int layer, Expr<F32> q, Expr<F32> k, Expr<F32> v);
}
