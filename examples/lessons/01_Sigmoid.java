// Lesson 1: three kernels become one.
//
//   ./ristretto run examples/lessons/01_Sigmoid.java

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    Tensor<F32> x = ctx.tensor(new float[] {-2, -1, 0, 1, 2});

    // An operation returns an expression, which is not computed until it is assigned. Here each
    // operation is assigned on its own: three kernels, each of which reads and writes memory.
    Tensor<F32> a = ctx.eval(exp(x.neg()));
    Tensor<F32> b = ctx.eval(a.plus(1));
    Tensor<F32> c = ctx.eval(scalar(F32, 1).div(b));
    c.print();

    // As one expression, it is one kernel. `explain` shows the kernels of an expression.
    Tensor<F32> y = ctx.empty(F32, 5);
    Expr<F32> sigmoid = scalar(F32, 1).div(exp(x.neg()).plus(1));
    IO.println(ctx.explain(sigmoid));
    ctx.assign(y, sigmoid);
    y.print();

    // A lambda, which reads like the formula, is also one kernel.
    ctx.assign(y, map(x, v -> 1f / (1f + (float) Math.exp(-v))));
    y.print();
    IO.println("result: kernels=" + ctx.explain(sigmoid).kernelCount());
  }
}
