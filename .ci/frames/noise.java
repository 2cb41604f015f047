import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

void main() {
  try (var ctx = Context.open()) {
    Variable<F32> x = Variable.input("x", F32, -1, 20);
    Variable<F32> mean = dense("mean", x, 2);
    Variable<F32> logVariance = dense("logVariance", x, 2);
    // BLOCK
    var executor = new Executor(ctx, code);
    executor.set(x, ctx.ones(F32, 3, 20));
    executor.forward();
    executor.tensor(code).print();
  }
}
