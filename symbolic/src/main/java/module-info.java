/** Models: variables, operators with gradients, executors, optimizers and training. */
module ristretto.symbolic {
  requires commons.math3;
  requires java.desktop;
  requires me.tongfei.progressbar;
  requires org.knowm.xchart;
  requires transitive ristretto.expr;

  exports ristretto.symbolic;
  exports ristretto.symbolic.data;
  exports ristretto.symbolic.train;
}
