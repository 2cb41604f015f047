import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

void main() {
  try (var ctx = Context.open()) {
    Variable<F32> a = Variable.input("a", F32, -1, 8);
    Variable<F32> b = Variable.input("b", F32, -1, 8);
    // BLOCK
    var executor = new Executor(ctx, distance);
    executor.set(a, ctx.ones(F32, 3, 8));
    executor.set(b, ctx.ones(F32, 3, 8));
    executor.forward();
    executor.tensor(distance).print();
  }
}
