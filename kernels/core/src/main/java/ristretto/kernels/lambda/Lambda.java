package ristretto.kernels.lambda;

import java.io.Serializable;

/**
 * A lambda or method reference over primitives whose bytecode becomes part of a kernel.
 * Serializable, because only such a lambda tells which method implements it; nothing is ever
 * serialized.
 */
public sealed interface Lambda extends Serializable
    permits FloatLambda, DoubleLambda, IntLambda, LongLambda, BooleanLambda {}
