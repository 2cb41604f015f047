package ristretto.expr.type;

/**
 * Static types of whole numbers: integers and BOOL. Functions whose result has another dtype for
 * whole numbers than for floating point are overloaded with it, as {@code Ops.mean} is.
 */
public sealed interface WholeNumber permits BOOL, I8, U8, I16, U16, I32, U32, I64, U64 {}
