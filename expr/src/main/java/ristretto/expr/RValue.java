package ristretto.expr;

/**
 * Value that the kernels of its readers can compute or read element by element: an {@link RExpr},
 * which needs no memory, or a {@link Tensor}.
 */
public interface RValue<T> extends Value<T> {}
