// Draws the memory of a training step of a small convolutional network.
//
//   ./ristretto run docs/tutorials/Memory.java out/memory.png

import module ristretto.symbolic;
import module ristretto.expr;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

void main(String[] args) {
  Variable<F32> x = Variable.input("x", F32, -1, 3, 32, 32);
  Variable<I32> y = Variable.input("y", I32, -1);
  Variable<F32> a = relu(conv("conv1", x, 16, Window.of(3, 3).padding(1, 1)));
  Variable<F32> b = relu(conv("conv2", a, 32, Window.of(3, 3).padding(1, 1).stride(2, 2)));
  Variable<F32> c = relu(conv("conv3", b, 64, Window.of(3, 3).padding(1, 1).stride(2, 2)));
  Variable<F32> scores = dense("out", flatten(c), 10);
  Variable<F32> loss = softmaxCrossEntropy(scores, y);
  try (var ctx = Context.open()) {
    var executor = new Executor(ctx, 1, scores, loss);
    executor.set(x, ctx.eval(Rng.of(1).normal(F32, 32, 3, 32, 32)));
    executor.set(y, ctx.zeros(I32, 32));
    executor.step(loss, Optimizer.adam(0.001));
    IO.println(executor.memory());
    executor.memory().picture(Path.of(args.length == 1 ? args[0] : "out/memory.png"));
  }
}
