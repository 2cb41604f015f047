/// Tensors, expressions and assignments.
module ristretto.expr {
  requires transitive ristretto.kernels;

  exports ristretto.expr;
}
