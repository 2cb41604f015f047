package ristretto.expr;

/** In-place arithmetic of a {@link Context}. */
sealed interface InPlace permits Context {
  /** Evaluates {@code expr} into {@code target}. */
  <T> void assign(Tensor<T> target, Expr<T> expr);

  /** {@code target += expr}. */
  default <T> void assignAdd(Tensor<T> target, Expr<T> expr) {
    assign(target, target.plus(expr));
  }

  /** {@code target -= expr}. */
  default <T> void assignSub(Tensor<T> target, Expr<T> expr) {
    assign(target, target.minus(expr));
  }

  /** {@code target *= expr}, element by element. */
  default <T> void assignMul(Tensor<T> target, Expr<T> expr) {
    assign(target, target.times(expr));
  }

  /** {@code target /= expr}, element by element. */
  default <T> void assignDiv(Tensor<T> target, Expr<T> expr) {
    assign(target, target.div(expr));
  }
}
