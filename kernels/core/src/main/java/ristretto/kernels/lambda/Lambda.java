package ristretto.kernels.lambda;

import java.io.Serializable;

/**
 * Lambda or method reference over primitives whose bytecode becomes part of a kernel. The interface
 * is serializable because only the serialized form of a lambda names its method; no lambda is ever
 * serialized.
 */
public sealed interface Lambda extends Serializable
    permits FloatLambda, DoubleLambda, IntLambda, LongLambda, BooleanLambda {}
