package ristretto.expr;

/** Keeps the package exportable until its first class is written. */
final class Placeholder {
  private Placeholder() {}
}
