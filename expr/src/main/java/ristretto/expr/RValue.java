package ristretto.expr;

/**
 * A value that can be read element by element inside somebody else's kernel and needs no memory of
 * its own: every {@link RExpr}, and every {@link Tensor}.
 */
public interface RValue<T> extends Value<T> {}
