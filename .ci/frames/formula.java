import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.apply;
import ristretto.symbolic.Executor;

void main() {
  try (var ctx = Context.open()) {
    Variable<F32> x = Variable.input("x", F32, -1);
    // BLOCK
    var executor = new Executor(ctx, y);
    executor.set(x, ctx.linspace(F32, -3, 3, 7));
    executor.forward();
    executor.tensor(y).print();
  }
}
