import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

void main() {
  try (var ctx = Context.open()) {
    Variable<F32> words = Variable.input("words", F32, -1, 64);
    Variable<F32> scores = dense("scores", words, 10);
    var trained = new Executor(ctx, scores);
    Tensor<F32> input = ctx.ones(F32, 3, 64);
    // BLOCK
    small.tensor(scores).print();
  }
}
