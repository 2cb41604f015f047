/** Models: variables, operators with gradients, executors, optimizers and training. */
module ristretto.symbolic {
  requires commons.math3;
  requires java.desktop;
  requires ristretto.report;
  requires transitive ristretto.expr;

  exports ristretto.symbolic;
  exports ristretto.symbolic.automaton;
  exports ristretto.symbolic.data;
  exports ristretto.symbolic.data.audio;
  exports ristretto.symbolic.data.image;
  exports ristretto.symbolic.decode;
  exports ristretto.symbolic.graph;
  exports ristretto.symbolic.inspect;
  exports ristretto.symbolic.layers;
  exports ristretto.symbolic.onnx;
  exports ristretto.symbolic.optim;
  exports ristretto.symbolic.train;
}
