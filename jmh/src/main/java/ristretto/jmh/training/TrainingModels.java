package ristretto.jmh.training;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.at;
import static ristretto.jmh.training.StepData.INPUTS;
import static ristretto.jmh.training.StepData.RATE;
import static ristretto.jmh.training.StepData.filled;
import static ristretto.jmh.training.StepData.give;
import static ristretto.jmh.training.StepData.labels;
import static ristretto.jmh.training.StepData.steps;
import static ristretto.symbolic.Layers.conv;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.flatten;
import static ristretto.symbolic.Layers.gelu;
import static ristretto.symbolic.Layers.layerNorm;
import static ristretto.symbolic.Layers.maxPool;
import static ristretto.symbolic.Layers.relu;
import static ristretto.symbolic.Layers.reshape;
import static ristretto.symbolic.Layers.softmaxCrossEntropy;
import static ristretto.symbolic.Layers.sum;
import static ristretto.symbolic.Layers.take;

import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.jmh.line.Dims;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.layers.Window;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.optim.Schedule;

/** Models written as by a user of the engine, with the values of {@link StepData}. */
final class TrainingModels {
  private TrainingModels() {}

  interface Model {
    Ready build(Context context, Dims dims);
  }

  /** Model with its data in place. */
  record Ready(Runnable step, DoubleSupplier loss) {}

  static Optional<Model> find(String name) {
    return Optional.ofNullable(
        switch (name) {
          case "mlp" -> TrainingModels::mlp;
          case "lstm" -> TrainingModels::lstm;
          case "lenet" -> TrainingModels::lenet;
          case "attention" -> TrainingModels::attention;
          case "block" -> TrainingModels::block;
          case "adam" -> TrainingModels::adam;
          case "copy" -> TrainingModels::copy;
          case "resnet18-cifar" -> PrototypeModels::resnet;
          case "gpt-psalms" -> PrototypeModels::gpt;
          case "vae" -> PrototypeModels::vae;
          case "gru-tagger" -> PrototypeModels::tagger;
          default -> null;
        });
  }

  private static Ready mlp(Context context, Dims dims) {
    long batch = dims.get(0);
    Variable<F32> x = Variable.input("x", F32, -1, 784);
    Variable<I32> label = Variable.input("label", I32, -1);
    Variable<F32> h1 = relu(dense("fc1", x, 128));
    Variable<F32> h2 = relu(dense("fc2", h1, 64));
    Variable<F32> loss = softmaxCrossEntropy(dense("fc3", h2, 10), label);
    var executor = filled(context, loss);
    give(executor, x, INPUTS, 0, 1, batch, 784);
    executor.set(label, labels(context, batch, 10));
    return steps(executor, loss, Optimizer.adam(RATE));
  }

  /**
   * Builds the small model of Zaremba et al. (2014); final states are the initial states of the
   * next step.
   */
  private static Ready lstm(Context context, Dims dims) {
    long steps = dims.get(0);
    long batch = dims.get(1);
    long hidden = 200;
    long vocabulary = 2058;
    Variable<I32> words = Variable.input("words", I32, -1, batch);
    Variable<I32> next = Variable.input("next", I32, -1);
    Variable<F32> vectors =
        Variable.parameter("vectors", F32, Initializer.zeros(), vocabulary, hidden);
    List<Variable<F32>> before =
        List.of(
            Variable.input("output before", F32, 2, batch, hidden),
            Variable.input("cell before", F32, 2, batch, hidden));
    var lstm =
        Recurrent.of(Cell.lstm(), hidden).layers(2).over("lstm", take(vectors, words, 0), before);
    Variable<F32> top = reshape(lstm.outputs(), -1, hidden);
    Variable<F32> loss = softmaxCrossEntropy(dense("scores", top, vocabulary), next).times(steps);
    var executor = filled(context, loss, lstm.last().get(0), lstm.last().get(1));
    executor.set(words, labels(context, steps * batch, 2058).reshape(steps, batch));
    executor.set(next, labels(context, steps * batch, 2057));
    Tensor<F32> zeros = context.zeros(F32, 2, batch, hidden);
    before.forEach(v -> executor.set(v, zeros));
    Optimizer optimizer = Optimizer.sgd(RATE).clip(5);
    return new Ready(
        () -> {
          executor.step(loss, optimizer);
          for (int k = 0; k < before.size(); k++) {
            executor.set(before.get(k), executor.tensor(lstm.last().get(k)));
          }
        },
        () -> executor.tensor(loss).item());
  }

  private static Ready lenet(Context context, Dims dims) {
    long batch = dims.get(0);
    Variable<F32> x = Variable.input("x", F32, -1, 1, 28, 28);
    Variable<I32> label = Variable.input("label", I32, -1);
    Window pairs = Window.of(2, 2).stride(2, 2);
    Variable<F32> c1 = maxPool(relu(conv("c1", x, 6, Window.of(5, 5).padding(2, 2))), pairs);
    Variable<F32> c2 = maxPool(relu(conv("c2", c1, 16, Window.of(5, 5))), pairs);
    Variable<F32> h1 = relu(dense("fc1", flatten(c2), 120));
    Variable<F32> h2 = relu(dense("fc2", h1, 84));
    Variable<F32> loss = softmaxCrossEntropy(dense("fc3", h2, 10), label);
    var executor = filled(context, loss);
    give(executor, x, INPUTS, 0, 1, batch, 1, 28, 28);
    executor.set(label, labels(context, batch, 10));
    return steps(executor, loss, Optimizer.adamW(Schedule.constant(RATE), 0.9, 0.999, 1e-8, 0.01));
  }

  private static Ready attention(Context context, Dims dims) {
    long[] shape = {dims.get(0), dims.get(1), dims.get(2), dims.get(3)};
    Variable<F32> q = Variable.parameter("q", F32, Initializer.zeros(), shape);
    Variable<F32> k = Variable.parameter("k", F32, Initializer.zeros(), shape);
    Variable<F32> v = Variable.parameter("v", F32, Initializer.zeros(), shape);
    Variable<F32> weight = Variable.input("weight", F32, shape);
    Variable<F32> loss = sum(Layers.attention(q, k, v).times(weight));
    var executor = filled(context, loss);
    give(executor, weight, INPUTS, -1, 1, shape);
    return new Ready(() -> executor.backward(loss), () -> executor.tensor(loss).item());
  }

  /** Builds the feed-forward part of a transformer block, with the gradient of its input. */
  private static Ready block(Context context, Dims dims) {
    long rows = dims.get(0);
    long width = dims.get(1);
    Variable<F32> x = Variable.input("x", F32, -1, width);
    Variable<F32> weight = Variable.input("weight", F32, -1, width);
    Variable<F32> wide = gelu(dense("up", layerNorm("norm", x), 4 * width));
    Variable<F32> y = dense("down", wide, width).plus(x);
    Variable<F32> loss = sum(y.times(weight));
    var executor = filled(context, loss);
    executor.wantGradients(x);
    give(executor, x, INPUTS, -1, 1, rows, width);
    give(executor, weight, INPUTS + 1, -1, 1, rows, width);
    return steps(executor, loss, Optimizer.adam(RATE));
  }

  /**
   * Builds Adam's update alone, of parameters in one piece; the first parameter is reported as the
   * loss.
   */
  private static Ready adam(Context context, Dims dims) {
    Variable<F32> w = Variable.parameter("w", F32, Initializer.zeros(), dims.get(0));
    Variable<F32> x = Variable.input("x", F32, dims.get(0));
    Variable<F32> loss = sum(w.times(x));
    var executor = filled(context, loss);
    give(executor, x, INPUTS, -1, 1, dims.get(0));
    executor.backward(loss);
    Optimizer optimizer = Optimizer.adam(RATE);
    return new Ready(
        () -> executor.update(optimizer),
        () -> context.eval(executor.tensor(w).slice(at(0))).item());
  }

  /**
   * Copies as many bytes as Adam moves: parameter, gradient and two moments are read, all but the
   * gradient written.
   */
  private static Ready copy(Context context, Dims dims) {
    Tensor<F32> from = context.zeros(F32, dims.get(0) * 7 / 2);
    Tensor<F32> to = context.empty(F32, from.shape());
    return new Ready(() -> context.assign(to, from), () -> 0);
  }
}
