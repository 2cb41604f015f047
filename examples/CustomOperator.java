// User-defined operators in a model: you write the forward formula, the gradient is derived.
//
// The network separates two spirals. Its activation is a lambda with a condition, whose derivative
// is not written anywhere; a second operator is an expression with a learned parameter. Both are
// fused into the kernels around them.
//
//   ./ristretto run examples/CustomOperator.java [--quick]

import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import ristretto.symbolic.Executor;

static final int POINTS = 400;
static final double TURNS = 1.5;

/// Activation that grows like a logarithm for positive inputs, and levels off for negative ones.
static Variable<F32> bend(Variable<F32> v) {
  return apply(
      "bend", F32, x -> map(x.get(v), u -> u > 0 ? (float) Math.log1p(u) : u / (1 - u)), v);
}

/// Sine waves with a learned frequency for each column.
static Variable<F32> waves(String name, Variable<F32> v) {
  long width = v.dims().at(-1);
  Variable<F32> frequency =
      Variable.parameter(name + ".frequency", F32, Initializer.normal(1), width);
  return apply(name, F32, x -> sin(x.get(v).times(x.get(frequency))), v, frequency);
}

void main(String[] args) {
  boolean quick = List.of(args).contains("--quick");
  if (args.length > (quick ? 1 : 0)) {
    System.err.println("CustomOperator takes --quick; got " + String.join(" ", args));
    System.exit(2);
  }
  try (var ctx = Context.open()) {
    Variable<F32> points = Variable.input("points", F32, -1, 2);
    Variable<I32> spiral = Variable.input("spiral", I32, -1);
    Variable<F32> hidden = bend(dense("second", waves("waves", dense("first", points, 32)), 32));
    Variable<F32> scores = dense("scores", hidden, 2);
    Variable<F32> loss = softmaxCrossEntropy(scores, spiral);
    var executor = new Executor(ctx, 1, scores, loss);

    give(ctx, executor, points, spiral, 0);
    Optimizer optimizer = Optimizer.adam(0.01);
    int steps = quick ? 300 : 2000;
    for (int k = 1; k <= steps; k++) {
      executor.step(loss, optimizer);
      if (k % (steps / 5) == 0) {
        IO.println(
            String.format(Locale.ROOT, "step %4d  loss %.4f", k, executor.tensor(loss).item()));
      }
    }
    IO.println("kernels of a step: " + executor.explain().kernelCount());
    double train = accuracy(ctx, executor, scores, spiral);
    give(ctx, executor, points, spiral, 0.5);
    double test = accuracy(ctx, executor, scores, spiral);
    IO.println(
        String.format(Locale.ROOT, "result: test_accuracy=%.4f train_accuracy=%.4f", test, train));
  }
}

/// Points of two interleaved spirals; `between` shifts the points along them.
static void give(
    Context ctx, Executor executor, Variable<F32> points, Variable<I32> spiral, double between) {
  var xy = new float[POINTS][2];
  var which = new int[POINTS];
  for (int k = 0; k < POINTS; k++) {
    double along = (k / 2 + between) / (POINTS / 2.0);
    double angle = 2 * Math.PI * TURNS * along + Math.PI * (k % 2);
    xy[k][0] = (float) ((0.2 + along) * Math.cos(angle));
    xy[k][1] = (float) ((0.2 + along) * Math.sin(angle));
    which[k] = k % 2;
  }
  executor.set(points, ctx.tensor(xy));
  executor.set(spiral, ctx.tensor(which));
}

static double accuracy(Context ctx, Executor executor, Variable<F32> scores, Variable<I32> spiral) {
  executor.forward();
  Expr<I32> guess = argMax(executor.tensor(scores), 1).cast(I32);
  return ctx.eval(mean(guess.eq(executor.tensor(spiral)).cast(F64))).item();
}
