package ristretto.expr.type;

/** Value in memory, assignable. */
public interface LValue<T> extends Value<T> {
  /** Layout of the elements in memory. */
  Layout layout();
}
