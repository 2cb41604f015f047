import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

void main() {
  try (var ctx = Context.open()) {
    Variable<F32> x = Variable.input("x", F32, -1, 784);
    Variable<I32> label = Variable.input("label", I32, -1);
    Variable<F32> scores = dense("second", relu(dense("first", x, 128)), 10);
    Variable<F32> loss = softmaxCrossEntropy(scores, label);
    var executor = new Executor(ctx, scores, loss);
    executor.set(x, uniform(F32, 1, 100, 784));
    executor.set(label, ctx.arange(I32, 100).rem(10));
    Optimizer adam = Optimizer.adam(0.001);
    // BLOCK
  }
}
