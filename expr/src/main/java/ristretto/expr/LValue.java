package ristretto.expr;

/** A value in memory, which can be assigned to. */
public interface LValue<T> extends Value<T> {
  /** Where its elements lie. */
  Layout layout();
}
