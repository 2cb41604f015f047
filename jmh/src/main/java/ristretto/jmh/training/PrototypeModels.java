package ristretto.jmh.training;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.jmh.training.StepData.INPUTS;
import static ristretto.jmh.training.StepData.RATE;
import static ristretto.jmh.training.StepData.filled;
import static ristretto.jmh.training.StepData.give;
import static ristretto.jmh.training.StepData.labels;
import static ristretto.jmh.training.StepData.steps;
import static ristretto.symbolic.Layers.binaryCrossEntropy;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.exp;
import static ristretto.symbolic.Layers.gelu;
import static ristretto.symbolic.Layers.layerNorm;
import static ristretto.symbolic.Layers.mean;
import static ristretto.symbolic.Layers.relu;
import static ristretto.symbolic.Layers.softmaxCrossEntropy;
import static ristretto.symbolic.Layers.sum;

import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.jmh.line.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.BatchNorm;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Conv;
import ristretto.symbolic.layers.CrossEntropyOptions;
import ristretto.symbolic.layers.Embedding;
import ristretto.symbolic.layers.MultiHeadAttention;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.layers.Window;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.optim.Schedule;

/** Models that users prototype, built from layers, with the values of {@link StepData}. */
final class PrototypeModels {
  private PrototypeModels() {}

  /** Builds ResNet-18 (He et al., 2016) for small images: a first convolution without stride. */
  static TrainingModels.Ready resnet(Context context, Dims dims) {
    long batch = dims.get(0);
    long size = dims.get(1);
    Variable<F32> x = Variable.input("x", F32, -1, 3, size, size);
    Variable<I32> label = Variable.input("label", I32, -1);
    Variable<F32> y = relu(conv("first", x, 64, 3, 1));
    long width = 64;
    for (int k = 0; k < 4; k++, width *= 2) {
      y = residual("layer" + k + ".0", y, width, k == 0 ? 1 : 2);
      y = residual("layer" + k + ".1", y, width, 1);
    }
    Variable<F32> loss = softmaxCrossEntropy(dense("fc", mean(y, 2, 3), 10), label);
    var executor = filled(context, loss);
    give(executor, x, INPUTS, 0, 1, batch, 3, size, size);
    executor.set(label, labels(context, batch, 10));
    return steps(executor, loss, Optimizer.momentum(Schedule.constant(RATE), 0.9, false));
  }

  private static Variable<F32> residual(String name, Variable<F32> v, long width, long stride) {
    Variable<F32> y = relu(conv(name + ".1", v, width, 3, stride));
    Variable<F32> z = conv(name + ".2", y, width, 3, 1);
    return relu(z.plus(stride == 1 ? v : conv(name + ".down", v, width, 1, stride)));
  }

  private static Variable<F32> conv(
      String name, Variable<F32> v, long width, long size, long stride) {
    var window = Window.of(size, size).stride(stride).padding(size / 2);
    var conv = new Conv(name, width, window).bias(false);
    return new BatchNorm(name + ".norm").of(conv.of(v));
  }

  /** Builds GPT-2's decoder (Radford et al., 2019) of letters, with tied weights. */
  static TrainingModels.Ready gpt(Context context, Dims dims) {
    long blocks = dims.get(0);
    long width = dims.get(1);
    long steps = dims.get(2);
    long batch = dims.get(3);
    int letters = 64;
    Variable<I32> words = Variable.input("words", I32, -1, steps);
    Variable<I32> next = Variable.input("next", I32, -1, steps);
    var table = new Embedding("table", letters, width);
    Variable<F32> places = Variable.parameter("places", F32, Initializer.zeros(), steps, width);
    Variable<F32> x = table.of(words).plus(places);
    for (int k = 0; k < blocks; k++) {
      String name = "block." + k;
      var heads = new MultiHeadAttention(name + ".heads", width / 64).causal();
      x = x.plus(heads.of(layerNorm(name + ".norm1", x)));
      Variable<F32> wide = gelu(dense(name + ".up", layerNorm(name + ".norm2", x), 4 * width));
      x = x.plus(dense(name + ".down", wide, width));
    }
    Variable<F32> loss = softmaxCrossEntropy(table.logits(layerNorm("norm", x)), next);
    var executor = filled(context, loss);
    executor.set(words, labels(context, batch * steps, letters).reshape(batch, steps));
    executor.set(next, labels(context, batch * steps, letters - 1).reshape(batch, steps));
    return steps(executor, loss, Optimizer.adamW(RATE));
  }

  /** Builds the variational autoencoder of Kingma and Welling (2014) for digits. */
  static TrainingModels.Ready vae(Context context, Dims dims) {
    long batch = dims.get(0);
    Variable<F32> x = Variable.input("x", F32, -1, 784);
    Variable<F32> noise = Variable.input("noise", F32, -1, 20);
    Variable<F32> h = relu(dense("fc1", x, 400));
    Variable<F32> mu = dense("mean", h, 20);
    Variable<F32> logVariance = dense("logVariance", h, 20);
    Variable<F32> z = mu.plus(noise.times(exp(logVariance.times(0.5))));
    Variable<F32> logits = dense("fc4", relu(dense("fc3", z, 400)), 784);
    Variable<F32> divergence =
        sum(exp(logVariance).plus(mu.times(mu)).minus(1).minus(logVariance)).times(0.5);
    Variable<F32> loss = binaryCrossEntropy(logits, x).times(784).plus(divergence.div(batch));
    var executor = filled(context, loss);
    give(executor, x, INPUTS, 0, 1, batch, 784);
    give(executor, noise, INPUTS + 1, -1, 1, batch, 20);
    return steps(executor, loss, Optimizer.adam(RATE));
  }

  /** Builds a tagger of sentences of different lengths with a bidirectional GRU. */
  static TrainingModels.Ready tagger(Context context, Dims dims) {
    int steps = Math.toIntExact(dims.get(0));
    int batch = Math.toIntExact(dims.get(1));
    int vocabulary = 5000;
    Variable<I32> words = Variable.input("words", I32, -1, -1);
    Variable<I32> tags = Variable.input("tags", I32, -1, -1);
    Variable<I32> lengths = Variable.input("lengths", I32, -1);
    var gru = new Recurrent("gru", Cell.gru(), 128).bidirectional().lengths(lengths);
    Variable<F32> seen = gru.of(new Embedding("words", vocabulary, 100).of(words)).outputs();
    Variable<F32> loss =
        softmaxCrossEntropy(dense("tag", seen, 20), tags, CrossEntropyOptions.of().ignore(-1));
    var executor = filled(context, loss);
    executor.set(words, labels(context, (long) steps * batch, vocabulary).reshape(steps, batch));
    executor.set(lengths, context.tensor(StepData.lengths(steps, batch), batch));
    executor.set(tags, context.tensor(StepData.tags(steps, batch, 20), steps, batch));
    return steps(executor, loss, Optimizer.adam(RATE));
  }
}
