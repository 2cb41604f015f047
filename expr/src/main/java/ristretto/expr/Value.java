package ristretto.expr;

/** Something with elements of a dtype and a shape: an {@link LValue} or an {@link RValue}. */
public interface Value<T> {
  /** Type of the elements. */
  DType<T> dtype();

  /** Extents, outermost first. */
  Shape shape();
}
