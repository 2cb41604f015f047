// Lesson 6: record assignments once, run them many times.
//
//   ./ristretto run examples/lessons/06_Programs.java

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    int n = 1000;
    Tensor<F32> target = ctx.eval(uniform(F32, 1, n));
    Tensor<F32> x = ctx.zeros(F32, n);
    Tensor<F32> momentum = ctx.zeros(F32, n);
    Tensor<F32> rate = ctx.full(F32, 0.1, 1);

    // The body runs now and is recorded. A value that is used only inside the program needs no
    // memory: `gradient` is computed in the kernels that use it.
    Program step =
        ctx.record(() -> {
          Tensor<F32> gradient = ctx.eval(x.minus(target));
          ctx.assign(momentum, momentum.times(0.9).plus(gradient));
          ctx.assignSub(x, momentum.times(rate));
        });
    IO.println(step.explain());

    // A program keeps the numbers of its recording. A changing number is a tensor, here the rate.
    for (int k = 1; k <= 300; k++) {
      if (k % 100 == 0) {
        ctx.assign(rate, rate.times(0.5));
        IO.println(
            String.format(
                Locale.ROOT,
                "after %d steps off by %.2e",
                k,
                ctx.eval(max(abs(x.minus(target)))).item()));
      }
      step.run();
    }
    IO.println(
        String.format(
            Locale.ROOT,
            "result: kernels=%d temporaries=%d",
            step.kernelCount(),
            step.temporaryCount()));
  }
}
