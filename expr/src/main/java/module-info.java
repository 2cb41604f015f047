/// Tensors, expressions and assignments.
module ristretto.expr {
  requires transitive ristretto.kernels;
  requires info.picocli;

  exports ristretto.expr;
}
