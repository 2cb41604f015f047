// Measures how long models need for a new batch size or length in a warm process: the processor
// time of the first step with that size, less the least time of later steps, on the thread that
// runs the steps. Prints a table in Markdown.
//
//   ./ristretto run docs/performance/NewSizes.java

import module ristretto.expr;
import module ristretto.symbolic;
import static ristretto.expr.Ops.*;
import static ristretto.symbolic.Layers.*;
import java.lang.management.ManagementFactory;
import ristretto.symbolic.Executor;

/// Size of the input data of a step; the length is 0 for models without time steps.
record Size(long batch, long length) {}

/// Model with its loss, its output, and a function that sets inputs of a size.
record Model(
    String name, Variable<F32> loss, Variable<F32> output, BiConsumer<Executor, Size> inputs) {}

static final List<Size> WARM =
    List.of(new Size(4, 10), new Size(5, 12), new Size(4, 20), new Size(7, 11));
static final List<Size> NEW =
    List.of(new Size(4, 30), new Size(8, 15), new Size(3, 13), new Size(16, 40), new Size(1, 9));

static Context ctx;

static double millis(Runnable run) {
  var threads = ManagementFactory.getThreadMXBean();
  long start = threads.getCurrentThreadCpuTime();
  run.run();
  return (threads.getCurrentThreadCpuTime() - start) / 1e6;
}

/// Times of the first run with each new size, less the least time of four more runs.
static String extra(Model model, Executor executor, Runnable run) {
  var times = new StringJoiner(", ");
  for (Size size : NEW) {
    model.inputs.accept(executor, size);
    double first = millis(run);
    double later = IntStream.range(0, 4).mapToDouble(_ -> millis(run)).min().getAsDouble();
    times.add(String.format(Locale.ROOT, "%.1f", Math.max(0, first - later)));
  }
  return times.toString();
}

static void measure(Model model) {
  var executor = new Executor(ctx, model.output, model.loss);
  var adam = Optimizer.adam(0.001);
  Runnable step =
      () -> {
        executor.step(model.loss, adam);
        executor.tensor(model.loss).item();
      };
  Runnable evaluation =
      () -> {
        executor.forward();
        executor.tensor(model.loss).item();
      };
  for (int round = 0; round < 3; round++) {
    for (Size size : WARM) {
      model.inputs.accept(executor, size);
      IntStream.range(0, 3).forEach(_ -> step.run());
    }
  }
  String steps = extra(model, executor, step);
  IO.println("| " + model.name + " | " + steps + " | " + extra(model, executor, evaluation) + " |");
}

static Expr<I32> classes(int count, long... dims) {
  return ctx.arange(I32, Shape.of(dims).size()).rem(count).reshape(dims);
}

static Model mlp() {
  Variable<F32> x = Variable.input("x", F32, -1, 100);
  Variable<I32> label = Variable.input("label", I32, -1);
  Variable<F32> y = dense("c", relu(dense("b", relu(dense("a", x, 200)), 200)), 10);
  return new Model(
      "multilayer perceptron",
      softmaxCrossEntropy(y, label),
      y,
      (executor, size) -> {
        executor.set(x, uniform(F32, 1, size.batch, 100));
        executor.set(label, classes(10, size.batch));
      });
}

static Model vae() {
  Variable<F32> x = Variable.input("x", F32, -1, 196);
  Variable<F32> hidden = relu(dense("encoder", x, 100));
  Variable<F32> mean = dense("mean", hidden, 10);
  Variable<F32> logVariance = dense("variance", hidden, 10);
  Variable<F32> code = mean.plus(exp(logVariance.times(0.5)).times(0.5));
  Variable<F32> y = dense("image", relu(dense("decoder", code, 100)), 196);
  var loss = binaryCrossEntropy(y, x).plus(normalKlDivergence(mean, logVariance));
  return new Model(
      "variational autoencoder",
      loss,
      y,
      (executor, size) -> executor.set(x, uniform(F32, 1, size.batch, 196)));
}

static Variable<F32> norm(String name, Variable<F32> v, long width, long size, long stride) {
  var window = Window.of(size, size).stride(stride).padding(size / 2);
  return new BatchNorm(name + ".bn").of(new Conv(name, width, window).bias(false).of(v));
}

static Variable<F32> residual(String name, Variable<F32> v, long width, long stride) {
  Variable<F32> y = relu(norm(name + ".1", v, width, 3, stride));
  Variable<F32> by = stride == 1 ? v : norm(name + ".down", v, width, 1, stride);
  return relu(norm(name + ".2", y, width, 3, 1).plus(by));
}

static Model resnet() {
  Variable<F32> x = Variable.input("x", F32, -1, 3, 32, 32);
  Variable<I32> label = Variable.input("label", I32, -1);
  Variable<F32> y = relu(norm("first", x, 8, 3, 1));
  for (int k = 0; k < 4; k++) {
    y = residual(k + ".a", y, 8L << k, k == 0 ? 1 : 2);
    y = residual(k + ".b", y, 8L << k, 1);
  }
  Variable<F32> scores = dense("last", mean(y, 2, 3), 10);
  var loss = softmaxCrossEntropy(scores, label);
  return new Model(
      "ResNet-18, 8 wide",
      loss,
      scores,
      (executor, size) -> {
        executor.set(x, uniform(F32, 1, size.batch, 3, 32, 32));
        executor.set(label, classes(10, size.batch));
      });
}

static Model gpt() {
  Variable<I32> words = Variable.input("words", I32, -1, -1);
  Variable<I32> next = Variable.input("next", I32, -1, -1);
  var table = new Embedding("table", 60, 64);
  Variable<F32> x = table.of(words);
  for (int k = 0; k < 6; k++) {
    var heads = new MultiHeadAttention(k + ".heads", 4).causal().rotary(10_000);
    x = x.plus(heads.of(new LayerNorm(k + ".norm").of(x)));
    Variable<F32> wide = gelu(dense(k + ".up", new LayerNorm(k + ".wide").of(x), 256));
    x = x.plus(dense(k + ".down", wide, 64));
  }
  Variable<F32> scores = table.logits(new LayerNorm("last").of(x));
  var loss = softmaxCrossEntropy(scores, next);
  return new Model(
      "GPT of 6 blocks",
      loss,
      scores,
      (executor, size) -> {
        executor.set(words, classes(60, size.batch, size.length));
        executor.set(next, classes(60, size.batch, size.length));
      });
}

static Model tagger() {
  Variable<I32> words = Variable.input("words", I32, -1, -1);
  Variable<I32> tags = Variable.input("tags", I32, -1, -1);
  Variable<I32> lengths = Variable.input("lengths", I32, -1);
  var network = Recurrent.of(Cell.gru(), 64).bidirectional().lengths(lengths);
  var states = network.over("gru", embedding("table", words, 100, 32)).outputs();
  Variable<F32> scores = dense("tags", states, 12);
  var loss = softmaxCrossEntropy(scores, tags);
  return new Model(
      "tagger, GRU in both directions",
      loss,
      scores,
      (executor, size) -> {
        executor.set(words, classes(60, size.length, size.batch));
        executor.set(tags, classes(12, size.length, size.batch));
        executor.set(lengths, classes((int) size.length, size.batch).plus(1));
      });
}

static Model lstm() {
  Variable<F32> x = Variable.input("x", F32, -1, -1, 20);
  Variable<I32> label = Variable.input("label", I32, -1);
  var states = Recurrent.of(Cell.lstm(), 64).layers(2).over("lstm", x).outputs();
  Variable<F32> scores = dense("last", mean(states, 0), 5);
  var loss = softmaxCrossEntropy(scores, label);
  return new Model(
      "LSTM of two layers",
      loss,
      scores,
      (executor, size) -> {
        executor.set(x, uniform(F32, 1, size.length, size.batch, 20));
        executor.set(label, classes(5, size.batch));
      });
}

void main() {
  try (var context = Context.open()) {
    ctx = context;
    IO.println("| model | first training step, ms | first evaluation, ms |\n| --- | --- | --- |");
    List.of(mlp(), vae(), resnet(), gpt(), tagger(), lstm()).forEach(m -> measure(m));
  }
}
