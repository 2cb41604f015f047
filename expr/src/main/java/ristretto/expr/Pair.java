package ristretto.expr;

/**
 * Assignment of an expression to a target, for {@link Context#assignAll}.
 *
 * @param target tensor to write
 * @param expr expression to evaluate
 * @param <T> the dtype of both
 */
public record Pair<T>(Tensor<T> target, Expr<T> expr) {
  /** Creates a pair. */
  public static <T> Pair<T> of(Tensor<T> target, Expr<T> expr) {
    return new Pair<>(target, expr);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  static Pair<?> untyped(Tensor<?> target, Expr<?> expr) {
    return new Pair(target, expr);
  }
}
