/// Conformance kit: checks that every device must pass, runnable on any machine.
module ristretto.testkit {
  requires ristretto.expr;
}
