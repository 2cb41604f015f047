package ristretto.expr;

/** In-place assignments of a {@link Context}. */
sealed interface InPlace permits Context {
  /** Evaluates {@code expr} into {@code target}. */
  <T> void assign(Tensor<T> target, Expr<T> expr);

  /** In-place addition {@code target += expr}. */
  default <T> void assignAdd(Tensor<T> target, Expr<T> expr) {
    assign(target, target.plus(expr));
  }

  /** In-place subtraction {@code target -= expr}. */
  default <T> void assignSub(Tensor<T> target, Expr<T> expr) {
    assign(target, target.minus(expr));
  }

  /** In-place element-wise multiplication {@code target *= expr}. */
  default <T> void assignMul(Tensor<T> target, Expr<T> expr) {
    assign(target, target.times(expr));
  }

  /** In-place element-wise division {@code target /= expr}. */
  default <T> void assignDiv(Tensor<T> target, Expr<T> expr) {
    assign(target, target.div(expr));
  }
}
