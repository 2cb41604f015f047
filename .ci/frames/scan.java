import module ristretto.expr;
import static ristretto.expr.Ops.*;

void main() {
  try (var ctx = Context.open()) {
    Tensor<F64> xs = ctx.ones(F64, 5);
    // BLOCK
    ctx.eval(w.get(0)).print();
  }
}
