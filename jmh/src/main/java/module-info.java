/** Benchmarks. Run from the class path: JMH's own processes know no modules. */
module ristretto.jmh {
  requires info.picocli;
  requires java.management;
  requires jdk.incubator.vector;
  requires jdk.management;
  requires jmh.core;
  requires jocl;
  requires me.tongfei.progressbar;
  requires java.desktop;
  requires org.knowm.xchart;
  requires ristretto.expr;
}
