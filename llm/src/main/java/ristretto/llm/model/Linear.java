package ristretto.llm.model;

import static ristretto.expr.Ops.dot;

import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;

/**
 * Product with a matrix, plus a bias if the file has one.
 *
 * @param weight {@code [in, out]}
 * @param bias {@code [out]}
 */
record Linear(Expr<F32> weight, Optional<Expr<F32>> bias) {
  Expr<F32> of(Expr<F32> x) {
    Expr<F32> y = dot(x, weight);
    return bias.map(y::plus).orElse(y);
  }
}
