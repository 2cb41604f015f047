// Lesson 4: reductions, and the operations that fuse with them.
//
//   ./ristretto run examples/lessons/04_Reductions.java

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    Tensor<F32> x = ctx.eval(uniform(F32, 1, 1000, 300));
    Tensor<F32> mu = ctx.eval(mean(x, 0));

    // Reduce all axes, one axis, or one axis that is kept with extent 1.
    IO.println(String.format(Locale.ROOT, "sum %.1f", ctx.eval(sum(x)).item()));
    IO.println(ctx.eval(max(x, 1)).shape() + " " + ctx.eval(max(x, 1).keepDims()).shape());

    // Operations before and after a reduction are fused into it.
    Plan deviation = ctx.explain(sqrt(mean(x.minus(mu).pow(2), 0)));
    IO.println(deviation);

    // Softmax is two reductions and two maps over each row: still one kernel.
    Plan softmax = ctx.explain(softmax(x, 1));
    IO.println(softmax);

    // Any associative lambda with its identity can reduce.
    Tensor<F32> longest = ctx.eval(reduce(x, 0f, (u, v) -> (float) Math.hypot(u, v), 1));
    longest.slice(range(0, 5)).print();
    IO.println(
        String.format(
            Locale.ROOT,
            "result: kernels_deviation=%d kernels_softmax=%d",
            deviation.kernelCount(),
            softmax.kernelCount()));
  }
}
