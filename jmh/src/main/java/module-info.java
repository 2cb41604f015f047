/**
 * Benchmarks. They run from the class path, since JMH's forked processes do not support modules.
 */
module ristretto.jmh {
  requires info.picocli;
  requires java.desktop;
  requires java.management;
  requires jcuda;
  requires jdk.incubator.vector;
  requires jdk.management;
  requires jmh.core;
  requires jocl;
  requires me.tongfei.progressbar;
  requires org.knowm.xchart;
  requires ristretto.expr;
  requires ristretto.llm;
  requires ristretto.nnet3;
  requires ristretto.symbolic;
}
