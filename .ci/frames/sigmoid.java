import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    Tensor<F32> x = ctx.linspace(F32, -3, 3, 7);
    Tensor<F32> y = ctx.empty(F32, 7);
    // BLOCK
    y.print();
  }
}
