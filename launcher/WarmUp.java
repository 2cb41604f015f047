package ristretto.launcher;

import static ristretto.expr.Ops.*;

import java.io.IOException;
import module ristretto.expr;

/// Typical operations of scripts, run to fill the engine's AOT cache with classes and with profiles
/// of the loops that are not generated, so that these loops are compiled soon after a script
/// starts.
final class WarmUp {
  private static final int ROUNDS = 12;

  private WarmUp() {}

  static void main() throws IOException {
    try (var ctx = Context.open()) {
      float scale = 2f;
      Tensor<F32> x = ctx.tensor(new float[] {-2, -1, 0, 1, 2, 3}, 2, 3);
      Tensor<F32> y = ctx.zeros(F32, 2, 3);
      ctx.assign(y, map(x, v -> scale / (1f + (float) Math.exp(-v))));
      ctx.assignAdd(y, exp(x.times(0.5)).plus(1f));
      y.print();
      IO.println(sum(y));
      for (int k = 0; k < ROUNDS; k++) {
        layouts(ctx);
        rows(ctx);
        indices(ctx);
      }
    }
    WarmUpNnet3.run();
  }

  private static void layouts(Context ctx) {
    Tensor<F32> a = ctx.eval(uniform(F32, 1, 200, 300));
    Tensor<F32> b = ctx.eval(normal(F32, 2, 300));
    ctx.eval(a.t().times(2));
    ctx.eval(a.slice(all(), from(0, 2)).plus(a.slice(all(), from(1, 2))));
    ctx.eval(relu(a.plus(b)));
    ctx.eval(a.gt(0.5).cast(I32));
    ctx.eval(concat(0, a, pad(a, 1, 1, 0, 0)));
    ctx.eval(relu(dot(a, a.t()).plus(1)));
  }

  private static void rows(Context ctx) {
    Tensor<F32> a = ctx.eval(uniform(F32, 1, 200, 300));
    ctx.eval(softmax(a, 1));
    ctx.eval(softmax(a.reshape(6000, 10), 1));
    ctx.eval(sum(a));
    ctx.eval(sum(a, 0));
    ctx.eval(mean(a, 1));
    ctx.eval(max(a.reshape(20, 30, 100), 0, 2));
    ctx.eval(argMax(a, 1));
    ctx.eval(argMin(a.reshape(6000, 10), 1));
    ctx.eval(cumSum(a, 1));
    ctx.eval(cumSum(a, 0));
  }

  private static void indices(Context ctx) {
    Tensor<F32> a = ctx.eval(uniform(F32, 1, 2000, 3));
    Tensor<I64> order = ctx.eval(argSort(a, 0)).slice(all(), at(0));
    ctx.eval(sort(a, 0));
    ctx.eval(take(a, order, 0));
    ctx.eval(scatterAdd(a.shape(), 0, order, a));
  }
}
