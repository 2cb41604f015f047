/// Benchmarks.
module ristretto.jmh {
  requires ristretto.expr;
}
