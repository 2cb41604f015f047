package ristretto.expr;

/** Unused placeholder class. */
final class Placeholder {
  private Placeholder() {}
}
