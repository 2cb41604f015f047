package ristretto.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.symbolic.Layers.*;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.BatchNorm;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Conv;
import ristretto.symbolic.layers.Dense;
import ristretto.symbolic.layers.Embedding;
import ristretto.symbolic.layers.LayerNorm;
import ristretto.symbolic.layers.MultiHeadAttention;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.layers.Sequential;
import ristretto.symbolic.layers.Window;

/** Small networks of the examples, which are exported, imported and compared. */
class ExampleModelsTest {
  /** Number of integers of embedding tables. */
  private static final int WORDS = 11;

  private static final int STEPS = 5;

  @TempDir Path folder;

  /** A network with its inputs; unknown extents are those of the batch. */
  private record Network(Variable<F32> output, Variable<?>... inputs) {}

  private record Case(String name, Supplier<Network> network) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case("Mnist", ExampleModelsTest::mnist),
        new Case("SpokenDigits", ExampleModelsTest::spokenDigits),
        new Case("Tabular", ExampleModelsTest::tabular),
        new Case("Gan", ExampleModelsTest::gan),
        new Case("ResNet", ExampleModelsTest::resnet),
        new Case("mobile", ExampleModelsTest::mobile),
        new Case("Gpt", ExampleModelsTest::gpt),
        new Case("LanguageModel", ExampleModelsTest::languageModel),
        new Case("Seq2Seq", ExampleModelsTest::seq2seq));
  }

  private static Network mnist() {
    Variable<F32> images = Variable.input("images", F32, -1, 8, 8);
    Variable<F32> x = reshape(images, -1, 1, 8, 8);
    Variable<F32> c = relu(conv("c1", x, 3, Window.of(5, 5).padding(2, 2)));
    Variable<F32> pooled = maxPool(c, Window.of(2, 2).stride(2, 2));
    return new Network(dense("fc", relu(dense("fc1", flatten(pooled), 7)), 10), images);
  }

  private static Network spokenDigits() {
    Variable<F32> x = Variable.input("x", F32, -1, 5 * 3);
    Variable<F32> channels = permute(reshape(dropout(x, 0.2), -1, 5, 3), 0, 2, 1);
    Variable<F32> c = relu(conv("conv", channels, 4, Window.of(3).padding(1)));
    return new Network(dense("out", dropout(flatten(c), 0.5), 10), x);
  }

  private static Network tabular() {
    Variable<F32> features = Variable.input("features", F32, -1, 3);
    Variable<I32> town = Variable.input("town", I32, -1);
    Variable<F32> place = embedding("towns", town, WORDS, 4);
    Variable<F32> hidden = relu(dense("fc1", concat(1, features, place), 7));
    return new Network(squeeze(dense("fc3", relu(dense("fc2", hidden, 5)), 1), 1), features, town);
  }

  private static Network gan() {
    Variable<F32> noise = Variable.input("noise", F32, -1, 8);
    var first = Sequential.of(new Dense("generator.0", 7), Layers::relu);
    return new Network(Sequential.of(first, new Dense("generator.2", 2)).of(noise), noise);
  }

  private static Variable<F32> block(String name, Variable<F32> v, long width, long stride) {
    var window = Window.of(3, 3).padding(1, 1);
    var a = new Conv(name + ".conv1", width, window.stride(stride, stride)).bias(false);
    Variable<F32> y = relu(new BatchNorm(name + ".bn1").of(a.of(v)));
    var b = new Conv(name + ".conv2", width, window).bias(false);
    Variable<F32> z = new BatchNorm(name + ".bn2").of(b.of(y));
    var shortcut = new Conv(name + ".down", width, Window.of(1, 1).stride(stride, stride));
    return relu(z.plus(stride == 1 ? v : shortcut.bias(false).of(v)));
  }

  private static Network resnet() {
    Variable<F32> image = Variable.input("image", F32, -1, 3, 8, 8);
    Variable<F32> y = relu(conv("conv1", image, 4, Window.of(3, 3).padding(1, 1)));
    y = block("b", block("a", y, 4, 1), 6, 2);
    return new Network(dense("fc", mean(y, 2, 3), 5), image);
  }

  /** Inverted residual with squeeze and excitation (Howard et al., 2019). */
  private static Network mobile() {
    Variable<F32> image = Variable.input("image", F32, -1, 4, 7, 7);
    Variable<F32> wide = hardSwish(conv("up", image, 6, Window.of(1, 1)));
    var deep = new Conv("deep", 6, Window.of(3, 3).padding(1, 1)).groups(6).bias(false);
    Variable<F32> y = hardSwish(new BatchNorm("norm").of(deep.of(wide)));
    Variable<F32> squeezed = mean(y, 2, 3);
    Variable<F32> gate = hardSigmoid(dense("excite", relu(dense("squeeze", squeezed, 2)), 6));
    y = y.times(unsqueeze(unsqueeze(gate, 2), 3));
    return new Network(image.plus(conv("down", y, 4, Window.of(1, 1))), image);
  }

  private static Network gpt() {
    Variable<I32> words = Variable.input("words", I32, -1, 6);
    var table = new Embedding("table", WORDS, 8).weight(Initializer.normal(1));
    Variable<F32> x = table.of(words);
    for (String name : List.of("block.0", "block.1")) {
      var heads = new MultiHeadAttention(name + ".attn", 2).causal().rotary(10_000);
      x = x.plus(heads.of(new LayerNorm(name + ".ln1").of(x)));
      Variable<F32> h = gelu(new Dense(name + ".up", 9).of(new LayerNorm(name + ".ln2").of(x)));
      x = x.plus(new Dense(name + ".down", 8).of(h));
    }
    return new Network(table.logits(new LayerNorm("ln").of(x)), words);
  }

  private static Network languageModel() {
    Variable<I32> words = Variable.input("words", I32, 7, -1);
    Variable<F32> read = embedding("vectors", words, WORDS, 4);
    var lstm = Recurrent.of(Cell.lstm(), 5).layers(2).over("lstm", read);
    return new Network(dense("scores", dropout(lstm.outputs(), 0.5), WORDS), words);
  }

  private static Network seq2seq() {
    Variable<I32> letters = Variable.input("letters", I32, STEPS, -1);
    Variable<I32> lengths = Variable.input("lengths", I32, -1);
    Variable<F32> read = embedding("read", letters, WORDS, 4);
    var encoder =
        Recurrent.of(Cell.gru(), 3).bidirectional().lengths(lengths).over("encoder", read);
    Variable<F32> memory = permute(encoder.outputs(), 1, 0, 2);
    Variable<F32> last = permute(encoder.last().get(0), 1, 0, 2);
    Variable<F32> first = Layers.tanh(dense("first", reshape(last, -1, 1, 6), 6));
    return new Network(
        dense("y", additiveAttention("a", first, memory, memory), 10), letters, lengths);
  }

  private static Tensor<?> sample(Context ctx, Variable<?> v, long batch) {
    long[] dims = new long[v.dims().rank()];
    Arrays.setAll(dims, k -> v.dims().at(k) < 0 ? batch : v.dims().at(k));
    if (v.dtype() == F32) {
      return ctx.eval(Ops.normal(F32, batch, dims));
    }
    int below = v.name().equals("lengths") ? STEPS + 1 : WORDS;
    long size = Shape.of(dims).size();
    return ctx.tensor(new SplittableRandom(batch).ints(size, 1, below).toArray(), dims);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void outputs(Case c) {
    Network network = c.network.get();
    try (Context ctx = Context.open("cpu")) {
      var executor = new Executor(ctx, 3, network.output);
      Path file = folder.resolve("model.onnx");
      executor.exportOnnx(file, network.output);
      Model m = Onnx.load(ctx, file);
      for (long batch : new long[] {1, 2, 5}) {
        Map<String, Tensor<?>> given = new HashMap<>();
        for (Variable<?> v : network.inputs) {
          Tensor<?> t = sample(ctx, v, batch);
          given.put(v.name(), t);
          set(executor, v, t);
        }
        executor.forward();
        float[] wanted = executor.tensor(network.output).toFloatArray();
        Tensor<?> found = m.run(given).get(m.outputs().get(0));
        assertThat(found.shape()).isEqualTo(executor.tensor(network.output).shape());
        requireClose(found.toFloatArray(), wanted);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static <T> void set(Executor executor, Variable<T> v, Tensor<?> t) {
    executor.set(v, (Tensor<T>) t);
  }

  private static void requireClose(float[] found, float[] wanted) {
    assertThat(found).hasSameSizeAs(wanted);
    double scale = 0;
    double error = 0;
    for (int k = 0; k < wanted.length; k++) {
      scale = Math.max(scale, Math.abs(wanted[k]));
      error = Math.max(error, Math.abs(found[k] - (double) wanted[k]));
    }
    assertThat(scale).isGreaterThan(0);
    assertThat(error).isLessThanOrEqualTo(1e-6 * scale + 1e-7);
  }
}
