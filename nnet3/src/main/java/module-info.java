/** Networks as Kaldi's nnet3 has them: configs, models, computations and commands. */
module ristretto.nnet3 {
  requires commons.math3;
  requires java.desktop;
  requires me.tongfei.progressbar;
  requires org.knowm.xchart;
  requires org.slf4j;
  requires transitive ristretto.expr;

  exports ristretto.nnet3;
  exports ristretto.nnet3.compile to
      ristretto.jmh;
  exports ristretto.nnet3.component to
      ristretto.jmh;
  exports ristretto.nnet3.egs;
  exports ristretto.nnet3.forward to
      ristretto.jmh;
  exports ristretto.nnet3.io;
  exports ristretto.nnet3.train;
}
