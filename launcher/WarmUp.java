package ristretto.launcher;

import module java.base;
import module ristretto.expr;

/// What a typical script does, for the AOT cache of the engine.
final class WarmUp {
  private WarmUp() {}

  static void main() {
    IO.println(List.of(1, 2, 3).stream().map(x -> 2 * x).toList());
  }
}
