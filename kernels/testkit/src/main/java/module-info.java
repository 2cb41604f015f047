/// The conformance kit: what every device must do, as checks that run anywhere.
module ristretto.testkit {
  requires ristretto.expr;
}
