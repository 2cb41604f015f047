/** Models: variables, operators with gradients, executors, optimizers and training. */
module ristretto.symbolic {
  requires transitive ristretto.expr;

  exports ristretto.symbolic;
  exports ristretto.symbolic.data;
}
