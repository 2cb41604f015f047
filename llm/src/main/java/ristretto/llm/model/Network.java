package ristretto.llm.model;

import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;

/** Network of a decoder-only language model. */
public interface Network {
  /** Number of tokens that the model knows. */
  long vocabulary();

  /**
   * Last hidden vectors of tokens. Layers are evaluated one after the other, so that a recording of
   * this call has a step for each.
   *
   * @param tokens {@code [n]}
   * @param positions of the tokens in their sequences, {@code [n]}
   * @return {@code [n, width]}
   */
  Expr<F32> hidden(Expr<I32> tokens, Expr<I32> positions, Attention attention);

  /**
   * Logits of the tokens that follow.
   *
   * @param hidden {@code [n, width]}
   * @return {@code [n, vocabulary]}
   */
  Expr<F32> logits(Expr<F32> hidden);
}
