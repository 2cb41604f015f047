// A layer, its norms and a softmax, recorded as a program: prints the kernels and their times.
//
//   ./ristretto run docs/tutorials/Recorded.java

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    Tensor<F32> a = ctx.eval(Rng.of(1).normal(F32, 2000, 128));
    Tensor<F32> w = ctx.eval(Rng.of(2).normal(F32, 128, 1000));
    Tensor<F32> y = ctx.zeros(F32, 2000, 1000);
    Tensor<F32> p = ctx.zeros(F32, 2000, 1000);
    Tensor<F32> norm = ctx.zeros(F32, 2000);
    Program program =
        ctx.record(() -> {
          ctx.assign(y, relu(dot(a, w)).div(100));
          ctx.assign(norm, sqrt(sum(y.times(y), 1)));
          ctx.assign(p, softmax(y.div(norm.reshape(2000, 1)), 1));
        });
    IO.println(program.explain());
    for (var timing : program.measure()) {
      IO.println(timing.kernel() + ": " + timing.nanos() / 1000 + " us");
    }
    for (int k = 0; k < 20; k++) {
      program.run();
    }
  }
}
