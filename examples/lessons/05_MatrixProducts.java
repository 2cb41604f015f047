// Lesson 5: matrix products and their fused epilogues.
//
//   ./ristretto run examples/lessons/05_MatrixProducts.java

import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    Tensor<F32> x = ctx.eval(normal(F32, 1, 500, 256));
    Tensor<F32> w = ctx.eval(normal(F32, 2, 256, 100));
    Tensor<F32> bias = ctx.ones(F32, 100);

    // A layer of a neural network: the product, then bias and activation in one kernel.
    Plan layer = ctx.explain(relu(dot(x, w).plus(bias)));
    IO.println(layer);

    // Transposed views cost nothing: the library reads them in place.
    Tensor<F32> square = ctx.eval(dot(x.t(), x));
    IO.println(square.shape());

    // `+=` is the product's own accumulation, without a temporary.
    Plan accumulated = ctx.explain(square, square.plus(dot(x.t(), x)));
    IO.println(accumulated);

    // Operands of higher rank: leading axes are batches, and einsum names the axes.
    Tensor<F32> batch = ctx.eval(normal(F32, 3, 8, 20, 30));
    IO.println(ctx.eval(dot(batch, batch.swapAxes(1, 2))).shape());
    IO.println(ctx.eval(einsum("bij,bkj->bik", batch, batch)).shape());
    IO.println(
        String.format(
            Locale.ROOT,
            "result: kernels_layer=%d temporaries_accumulated=%d",
            layer.kernelCount(),
            accumulated.temporaryCount()));
  }
}
