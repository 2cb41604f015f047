package ristretto.launcher;

import static ristretto.expr.Ops.*;

import module ristretto.expr;

/// What a typical script does, for the AOT cache of the engine.
final class WarmUp {
  private WarmUp() {}

  static void main() {
    try (var ctx = Context.open()) {
      float scale = 2f;
      Tensor<F32> x = ctx.tensor(new float[] {-2, -1, 0, 1, 2, 3}, 2, 3);
      Tensor<F32> y = ctx.zeros(F32, 2, 3);
      ctx.assign(y, map(x, v -> scale / (1f + (float) Math.exp(-v))));
      ctx.assignAdd(y, exp(x.times(0.5)).plus(1f));
      y.print();
      IO.println(sum(y));
    }
  }
}
