/** Networks as Kaldi's nnet3 has them: configs, models, computations and commands. */
module ristretto.nnet3 {
  requires commons.math3;
  requires org.slf4j;
  requires ristretto.report;
  requires transitive ristretto.expr;
  requires transitive ristretto.symbolic;

  exports ristretto.nnet3;
  exports ristretto.nnet3.chain;
  exports ristretto.nnet3.cli;
  exports ristretto.nnet3.config;
  exports ristretto.nnet3.decode;
  exports ristretto.nnet3.egs;
  exports ristretto.nnet3.features;
  exports ristretto.nnet3.fst;
  exports ristretto.nnet3.hmm;
  exports ristretto.nnet3.io;
  exports ristretto.nnet3.lattice;
  exports ristretto.nnet3.matrix;
  exports ristretto.nnet3.network;
  exports ristretto.nnet3.search;
  exports ristretto.nnet3.train;
  exports ristretto.nnet3.compile to
      ristretto.jmh;
  exports ristretto.nnet3.edit to
      ristretto.jmh;
  exports ristretto.nnet3.step to
      ristretto.jmh;

  uses ristretto.nnet3.cluster.Cluster;
}
