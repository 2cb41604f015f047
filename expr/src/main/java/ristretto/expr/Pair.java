package ristretto.expr;

/**
 * A target and the expression to assign to it; see {@link Context#assignAll}.
 *
 * @param target where to
 * @param expr what
 * @param <T> the dtype of both
 */
public record Pair<T>(Tensor<T> target, Expr<T> expr) {
  /** The same as the constructor. */
  public static <T> Pair<T> of(Tensor<T> target, Expr<T> expr) {
    return new Pair<>(target, expr);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  static Pair<?> untyped(Tensor<?> target, Expr<?> expr) {
    return new Pair(target, expr);
  }
}
