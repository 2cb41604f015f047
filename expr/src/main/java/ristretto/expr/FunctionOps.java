package ristretto.expr;

/** Transformations of functions of tensors: vectorization and derivatives. */
abstract class FunctionOps extends SignalOps {
  FunctionOps() {}
}
