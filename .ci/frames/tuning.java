import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

void main() {
  try (var ctx = Context.open()) {
    Variable<F32> x = Variable.input("x", F32, -1, 3);
    Variable<F32> code = relu(dense("backbone.1", relu(dense("backbone.0", x, 4)), 4));
    Variable<F32> loss = mean(square(dense("head", code, 2)));
    var executor = new Executor(ctx, loss);
    executor.set(x, uniform(F32, 1, 100, 3));
    // BLOCK
    IO.println(executor.tensor(loss).item());
  }
}
