package ristretto.expr;

/** Something with elements of a dtype and a shape: an {@link LValue} or an {@link RValue}. */
public interface Value<T> {
  DType<T> dtype();

  Shape shape();
}
