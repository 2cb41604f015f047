// Lesson 7: random numbers are expressions.
//
//   ./ristretto run examples/lessons/07_Random.java

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    // A random number depends only on the seed and its position: it is equal on every device, in
    // every order, on any number of threads.
    Expr<F32> dice = floor(uniform(F32, 7, 10).times(6)).plus(1);
    ctx.eval(dice).print();
    ctx.eval(dice).print();

    // Kernels generate the numbers that they use. Dropout is one kernel, without a mask in memory.
    Tensor<F32> x = ctx.ones(F32, 100_000);
    Expr<F32> dropped = where(uniform(F32, 8, 100_000).lt(0.8), x.div(0.8), fill(F32, 0, 100_000));
    IO.println(ctx.explain(dropped));
    IO.println(
        String.format(Locale.ROOT, "mean after dropout %.3f", ctx.eval(mean(dropped)).item()));

    // In a recorded program the seed is a tensor, so that each run has new numbers.
    Tensor<I64> seed = ctx.zeros(I64, 1);
    Tensor<F32> noise = ctx.empty(F32, 4);
    Program draw =
        ctx.record(() -> {
          ctx.assign(noise, normal(F32, seed, 4));
          ctx.assignAdd(seed, scalar(I64, 1));
        });
    for (int k = 0; k < 3; k++) {
      draw.run();
      noise.print();
    }
    IO.println("result: kernels_dropout=" + ctx.explain(dropped).kernelCount());
  }
}
