package ristretto.expr.type;

/** Elements of one dtype in a shape: an {@link LValue} or an {@link RValue}. */
public interface Value<T> {
  /** Type of the elements. */
  DType<T> dtype();

  /** Extents, outermost first. */
  Shape shape();
}
