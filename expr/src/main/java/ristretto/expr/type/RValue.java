package ristretto.expr.type;

/**
 * Value that the kernels of its readers can compute or read element by element: an {@link
 * ristretto.expr.RExpr}, which needs no memory, or a {@link ristretto.expr.Tensor}.
 */
public interface RValue<T> extends Value<T> {}
