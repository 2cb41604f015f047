import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

void main() {
  try (var ctx = Context.open()) {
    Variable<F32> x = Variable.input("x", F32, -1, 3);
    Executor executor;
    // BLOCK
    IO.println(executor.tensor(penalty).item());
    executor.parameters().forEach(p -> IO.println(executor.gradientOf(p)));
  }
}
