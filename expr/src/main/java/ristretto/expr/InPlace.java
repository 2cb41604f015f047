package ristretto.expr;

/** In-place assignments of a {@link Context}. */
sealed interface InPlace permits Context {
  /** Evaluates {@code expr} into {@code target}. */
  <T> void assign(Tensor<T> target, Expr<T> expr);

  /** Adds in place: {@code target += expr}. */
  default <T> void assignAdd(Tensor<T> target, Expr<T> expr) {
    assign(target, target.plus(expr));
  }

  /** Subtracts in place: {@code target -= expr}. */
  default <T> void assignSub(Tensor<T> target, Expr<T> expr) {
    assign(target, target.minus(expr));
  }

  /** Multiplies element-wise in place: {@code target *= expr}. */
  default <T> void assignMul(Tensor<T> target, Expr<T> expr) {
    assign(target, target.times(expr));
  }

  /** Divides element-wise in place: {@code target /= expr}. */
  default <T> void assignDiv(Tensor<T> target, Expr<T> expr) {
    assign(target, target.div(expr));
  }
}
