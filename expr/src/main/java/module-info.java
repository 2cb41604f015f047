/// Tensors, expressions and assignments.
module ristretto.expr {
  requires transitive ristretto.kernels;

  exports ristretto.expr;
  exports ristretto.expr.file to
      ristretto.nnet3,
      ristretto.symbolic;
}
