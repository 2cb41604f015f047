package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.uniform;
import static ristretto.symbolic.Layers.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.BatchNormOperator;
import ristretto.symbolic.run.Graph;

/** Every layer's gradients against differences along random directions, in F64. */
public class LayersTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** A layer, its name and the shape of its input. */
  public record Case(String name, Function<Variable<F64>, Variable<F64>> layer, long... shape) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Cases of all layers. */
  public static Stream<Case> cases() {
    var all = new ArrayList<Case>();
    all.add(new Case("relu", Layers::relu, 3, 4));
    all.add(new Case("sigmoid", Layers::sigmoid, 3, 4));
    all.add(new Case("tanh", Layers::tanh, 3, 4));
    all.add(new Case("leakyRelu", v -> leakyRelu(v, 0.1), 3, 4));
    all.add(new Case("elu", Layers::elu, 3, 4));
    all.add(new Case("gelu", Layers::gelu, 3, 4));
    all.add(new Case("silu", Layers::silu, 3, 4));
    all.add(new Case("hardSigmoid", Layers::hardSigmoid, 3, 4));
    all.add(new Case("hardSwish", Layers::hardSwish, 3, 4));
    all.add(new Case("softplus", Layers::softplus, 3, 4));
    all.add(new Case("softmax", v -> softmax(v, 1), 3, 4));
    all.add(new Case("dense", v -> dense("d", v, 2), 3, 4));
    all.add(new Case("dense of rank 3", v -> dense("d", v, 2), 2, 3, 4));
    all.add(new Case("dot", v -> dot(v, permute(v, 1, 0)), 3, 4));
    all.add(new Case("conv", v -> conv("c", v, 3, Window.of(2, 3)), 2, 3, 5, 6));
    all.add(
        new Case(
            "conv with everything",
            v -> conv("c", v, 4, Window.of(3, 2).stride(2, 1).padding(1, 2).dilation(1, 2), 2),
            2,
            4,
            5,
            6));
    all.add(new Case("conv of sequences", v -> conv("c", v, 3, Window.of(3).stride(2)), 2, 3, 8));
    all.add(
        new Case(
            "conv with other padding after",
            v -> conv("c", v, 2, Window.of(2, 3).padding(new long[] {0, 2}, new long[] {1, 0})),
            2,
            3,
            4,
            4));
    all.add(
        new Case("conv of the same extents", v -> conv("c", v, 2, Window.of(4).same()), 2, 3, 6));
    all.add(new Case("variance", v -> variance(v, 1), 3, 4));
    all.add(new Case("transpose", Layers::transpose, 3, 4));
    all.add(new Case("unsqueeze", v -> squeeze(unsqueeze(v, 1), 1).times(v), 3, 4));
    all.add(new Case("maxPool", v -> maxPool(v, Window.of(2, 2).stride(2, 2)), 2, 3, 4, 6));
    all.add(new Case("maxPool overlapping", v -> maxPool(v, Window.of(3).padding(1)), 2, 3, 7));
    all.add(
        new Case("averagePool", v -> averagePool(v, Window.of(2, 2).padding(1, 0)), 2, 3, 4, 6));
    all.add(new Case("layerNorm", v -> layerNorm("n", v), 3, 4));
    all.add(new Case("batchNorm", v -> batchNorm("n", v), 5, 3));
    all.add(new Case("batchNorm of images", v -> batchNorm("n", v), 2, 3, 4, 2));
    all.add(new Case("groupNorm", v -> groupNorm("n", v, 2), 2, 4, 3));
    all.add(new Case("attention", v -> attention(v, tanh(v), v.times(v)), 2, 4, 3));
    all.add(new Case("attention to itself", v -> attention(v, v, v), 4, 3));
    all.add(new Case("causal attention", v -> causalAttention(v, tanh(v), v.times(v)), 2, 2, 4, 3));
    all.add(new Case("attention with a mask", LayersTest::masked, 2, 4, 3));
    all.add(new Case("additive attention with a mask", LayersTest::maskedAdditive, 2, 4, 3));
    all.add(new Case("heads", v -> multiHeadAttention("h", v, tanh(v), 2, true), 2, 3, 4));
    all.add(
        new Case(
            "additiveAttention", v -> additiveAttention("a", v, tanh(v), v.times(v)), 2, 4, 3));
    all.add(
        new Case(
            "softmaxCrossEntropyOf", v -> softmaxCrossEntropyOf(v, softmax(tanh(v), 1)), 3, 4));
    all.add(new Case("geluErf", Layers::geluErf, 3, 5));
    all.add(new Case("glu", Layers::glu, 3, 6));
    all.add(new Case("swiGlu", Layers::swiGlu, 3, 6));
    all.add(new Case("upsample", v -> upsample(v, 2, 3), 2, 3, 2));
    all.add(new Case("upsampleLinear", v -> upsampleLinear(v, 2, 3), 2, 3, 2));
    all.add(new Case("adaptiveAveragePool", v -> adaptiveAveragePool(v, 3, 2), 2, 5, 4));
    all.add(new Case("adaptiveMaxPool", v -> adaptiveMaxPool(v, 3, 2), 2, 5, 4));
    all.add(new Case("pixelShuffle", v -> pixelShuffle(v, 2), 2, 4, 3, 1));
    all.add(new Case("pixelUnshuffle", v -> pixelUnshuffle(v, 2), 2, 1, 4, 2));
    all.add(new Case("rotary", v -> rotary(v, 100), 2, 5, 6));
    all.add(new Case("sinusoidal", v -> v.times(v).plus(sinusoidal(v)), 3, 5));
    all.add(new Case("exp", Layers::exp, 3, 4));
    all.add(new Case("log", v -> log(softplus(v)), 3, 4));
    all.add(new Case("sqrt", v -> sqrt(softplus(v)), 3, 4));
    all.add(new Case("sin", Layers::sin, 3, 4));
    all.add(new Case("cos", Layers::cos, 3, 4));
    all.add(new Case("square", Layers::square, 3, 4));
    all.add(new Case("abs", Layers::abs, 3, 4));
    all.add(new Case("pow", v -> pow(softplus(v), 2.5), 3, 4));
    all.add(new Case("maximum", v -> maximum(v, tanh(v).neg()), 3, 4));
    all.add(new Case("minimum", v -> minimum(v, tanh(v).neg()), 3, 4));
    all.add(new Case("max", v -> max(v, 1), 3, 4));
    all.add(new Case("min", v -> min(v, 0), 3, 4));
    all.add(new Case("prod", v -> prod(v, 1), 3, 4));
    all.add(new Case("logSumExp", v -> logSumExp(v, 1), 3, 4));
    all.add(new Case("logSoftmax", v -> logSoftmax(v, 1), 3, 4));
    all.add(new Case("take", v -> take(v, numbers(v), 0), 3, 4));
    all.add(new Case("gather", v -> gather(v, places(v), 1), 3, 4));
    all.add(new Case("stack", v -> stack(1, v, tanh(v)), 3, 4));
    all.add(new Case("flatten", Layers::flatten, 3, 2, 2));
    all.add(new Case("concat", v -> concat(1, v, v.times(2), tanh(v)), 3, 4));
    all.add(new Case("slice", v -> slice(v, Ops.all(), at(1)), 3, 4));
    all.add(new Case("reshape", v -> reshape(v, -1, 2), 3, 4));
    all.add(new Case("mean", v -> mean(v, 0), 3, 4));
    all.add(new Case("shared", v -> relu(v).plus(sigmoid(v)).times(v).minus(v.div(3).neg()), 3, 4));
    all.add(new Case("huber", v -> huber(v, v.times(v), 0.5), 3, 4));
    all.add(new Case("meanSquaredError", v -> meanSquaredError(v, v.times(v)), 3, 4));
    all.add(new Case("meanAbsoluteError", v -> meanAbsoluteError(v, v.times(3)), 3, 4));
    all.add(new Case("binaryCrossEntropy", v -> binaryCrossEntropy(v, sigmoid(v.neg())), 3, 4));
    all.add(
        new Case("klDivergence", v -> klDivergence(logSoftmax(v, 1), softmax(tanh(v), 1)), 3, 5));
    all.add(new Case("normalKlDivergence", v -> normalKlDivergence(v, tanh(v)), 3, 5));
    all.add(new Case("triplet", v -> triplet(v, tanh(v), sigmoid(v), 3), 3, 5));
    all.add(new Case("infoNce", v -> infoNce(v, sigmoid(v), 0.5), 3, 5));
    all.add(new Case("focal", v -> focal(v, numbers(v), 1.5), 3, 5));
    all.add(new Case("binaryFocal", v -> binaryFocal(v, sigmoid(v.neg()), 1.5, 0.3), 3, 5));
    all.add(
        new Case(
            "softmaxCrossEntropy with options",
            v ->
                softmaxCrossEntropy(
                    v,
                    numbers(v),
                    CrossEntropyOptions.of().weights(mean(sigmoid(v), 0)).smoothing(0.2).ignore(0)),
            3,
            5));
    return all.stream();
  }

  /** 0, 1, 1, as if they followed from v. */
  private static Variable<I32> numbers(Variable<F64> v) {
    return Layers.apply(
        "numbers", I32, x -> Ops.mapIndexed(Ops.fill(I32, 0, 3), (u, i) -> (int) (i * i % 3)), v);
  }

  /** One place in each row. */
  private static Variable<I32> places(Variable<F64> v) {
    return Layers.apply(
        "places",
        I32,
        x ->
            Ops.mapIndexed(
                x.get(v).slice(Ops.all(), Ops.range(0, 1)).cast(I32), (u, i) -> (int) (i * i % 3)),
        v);
  }

  private static Variable<F64> masked(Variable<F64> v) {
    return attention(v, tanh(v), v.times(v), mask(v));
  }

  private static Variable<F64> maskedAdditive(Variable<F64> v) {
    return additiveAttention("a", v, tanh(v), v.times(v), mask(v));
  }

  private static Variable<ristretto.expr.type.BOOL> mask(Variable<F64> v) {
    return Layers.apply(
        "mask",
        Ops.BOOL,
        x -> x.get(v).slice(Ops.all(), Ops.all(), at(0)).unsqueeze(1).gt(-0.5),
        v);
  }

  /** The input goes through a layer with parameters first, so that it has a gradient. */
  @ParameterizedTest
  @MethodSource("cases")
  void gradientsAgreeWithDifferences(Case c) {
    long[] unknown = c.shape.clone();
    unknown[0] = -1;
    Variable<F64> x = Variable.input("x", F64, unknown);
    long[] one = c.shape.clone();
    one[0] = 1;
    Variable<F64> shift = Variable.parameter("shift", F64, Initializer.normal(1), one);
    Variable<F64> y = c.layer.apply(x.plus(shift));
    Variable<F64> loss = sum(y.times(sigmoid(y)));
    var executor = new Executor(CTX, 3, y, loss);
    executor.set(x, uniform(F64, 3, c.shape).minus(0.3).times(2));
    executor.backward(loss);
    assertThat(y.dims().accepts(executor.tensor(y).shape())).isTrue();
    GradientCheck.of(CTX, executor, loss);
  }

  @Test
  void batchNormCorrectsTheRoundingOfMeans() {
    int rows = 1000;
    int channels = 16;
    var random = new Random(3);
    float[] values = new float[rows * channels];
    for (int k = 0; k < values.length; k++) {
      values[k] = (float) (1e6 + 12345.67 * (k % channels) + random.nextGaussian());
    }
    Variable<F32> x = Variable.input("x", F32, rows, channels);
    Variable<F32> weight = Variable.parameter("weight", F32, Initializer.ones(), channels);
    Variable<F32> bias = Variable.parameter("bias", F32, Initializer.zeros(), channels);
    Variable<F32> mean = Variable.state("mean", F32, Initializer.zeros(), channels);
    Variable<F32> variance = Variable.state("variance", F32, Initializer.ones(), channels);
    Variable<F32> loss =
        sum(
            new BatchNormOperator<>(
                    "n", x, Optional.of(weight), Optional.of(bias), mean, variance, 0.1, 1e-5)
                .output());
    var executor = new Executor(CTX, loss);
    executor.set(x, CTX.tensor(values, rows, channels));
    executor.backward(loss);
    float[] kept = executor.tensor(variance).toFloatArray();
    for (int c = 0; c < channels; c++) {
      double sum = 0;
      double squares = 0;
      for (int k = c; k < values.length; k += channels) {
        double apart = values[k] - 1e6 - 12345.67 * c;
        sum += apart;
        squares += apart * apart;
      }
      double unbiased = (squares - sum * sum / rows) / (rows - 1);
      assertThat((double) kept[c]).isCloseTo(0.9 + 0.1 * unbiased, within(1e-6));
    }
  }

  @Test
  void batchNormLearnsMeansForUse() {
    Variable<F64> x = Variable.input("x", F64, -1, 2);
    Variable<F64> y = batchNorm("n", x);
    Variable<F64> loss = sum(y);
    var executor = new Executor(CTX, y, loss);
    executor.set(x, CTX.tensor(new double[] {1, 10, 3, 20, 5, 60}, 3, 2));
    executor.backward(loss);
    double[] trained = executor.tensor(y).toDoubleArray();
    assertThat(trained[0]).isCloseTo(-2 / Math.sqrt(8 / 3.0 + 1e-5), within(1e-12));
    executor.forward();
    double[] used = executor.tensor(y).toDoubleArray();
    double mean = 0.1 * 3;
    double variance = 0.9 + 0.1 * 4;
    assertThat(used[0]).isCloseTo((1 - mean) / Math.sqrt(variance + 1e-5), within(1e-12));
    executor.forward();
    assertThat(executor.tensor(y).toDoubleArray()).containsExactly(used);
  }

  @Test
  void whatSeesNothingIsZero() {
    Variable<F64> v = Variable.parameter("v", F64, Initializer.normal(1), 2, 3);
    Variable<ristretto.expr.type.BOOL> mask = Variable.input("mask", Ops.BOOL, 2, 2);
    Variable<F64> y = attention(v, v, v, mask);
    var executor = new Executor(CTX, y);
    executor.set(mask, CTX.tensor(new boolean[] {false, false, true, false}, 2, 2));
    executor.forward();
    double[] row = executor.tensor(v).toDoubleArray();
    assertThat(executor.tensor(y).toDoubleArray()).containsExactly(0, 0, 0, row[0], row[1], row[2]);
  }

  @Test
  void messagesOfNormsAndAttention() {
    Variable<F64> v = Variable.input("v", F64, -1, -1, 6);
    assertThatThrownBy(() -> batchNorm("n", v))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[n] the input must be [n, c, ...] with c known; got v f64[?,?,6].");
    Variable<F64> images = Variable.input("images", F64, -1, 6, 2);
    assertThatThrownBy(() -> groupNorm("n", images, 4))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[n] the groups must divide the channels; got 4 for images f64[?,6,2].");
    assertThatThrownBy(() -> multiHeadAttention("h", v, v, 4, false))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[h] the input must be [batch, steps, width] with a known width that the heads divide;"
                + " got v f64[?,?,6] and 4 heads.");
    Variable<F64> one = Variable.input("one", F64, -1);
    assertThatThrownBy(() -> additiveAttention("a", one, one, one))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[a] the last dimension of the queries must be known; got one f64[?].");
    assertThatThrownBy(() -> layerNorm("l", one))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[l] the last dimension of the input must be known; got one f64[?]; declare it, or"
                + " reshape the input to a known width.");
  }

  @Test
  void windowsKeepExtentsAndSayWhatTheyAre() {
    Variable<F64> v = Variable.input("v", F64, -1, 3, 6, 8);
    Window window = Window.of(4, 3).stride(2, 1).same();
    assertThat(maxPool(v, window).dims()).isEqualTo(Dims.of(-1, 3, 3, 8));
    assertThat(window).hasToString("window [4, 3] stride [2, 1] dilation [1, 1] padding [1, 1]");
    assertThat(Window.of(4).same())
        .hasToString("window [4] stride [1] dilation [1] padding [1] and [2]");
  }

  @Test
  void argMaxIsAVariable() {
    Variable<F64> v = Variable.input("v", F64, -1, 3);
    Variable<ristretto.expr.type.I64> best = argMax(v, 1);
    var executor = new Executor(CTX, best);
    executor.set(v, CTX.tensor(new double[] {1, 5, 2, 9, 0, 9}, 2, 3));
    executor.forward();
    assertThat(executor.tensor(best).toLongArray()).containsExactly(1, 0);
  }

  @Test
  void embeddingsLearnTheRowsThatAreRead() {
    Variable<I32> words = Variable.input("words", I32, -1);
    Variable<ristretto.expr.type.F32> loss = sum(embedding("e", words, 5, 2));
    var executor = new Executor(CTX, loss);
    executor.set(words, CTX.tensor(new int[] {1, 3, 1}, 3));
    executor.backward(loss);
    Variable<?> table = new Graph(List.of(loss)).of(Variable.Kind.PARAMETER).get(0);
    assertThat(executor.gradientOf(table).as(F32).toFloatArray())
        .containsExactly(0, 0, 2, 2, 0, 0, 1, 1, 0, 0);
  }

  @Test
  void dropoutDropsInTrainingOnly() {
    Variable<ristretto.expr.type.F32> x = Variable.input("x", F32, -1);
    Variable<ristretto.expr.type.F32> scale =
        Variable.parameter("scale", F32, Initializer.ones(), 1);
    Variable<ristretto.expr.type.F32> y = dropout(x.times(scale), 0.25);
    Variable<ristretto.expr.type.F32> loss = mean(y);
    var executor = new Executor(CTX, y, loss);
    executor.set(x, CTX.ones(F32, 10_000));
    executor.forward();
    assertThat(executor.tensor(loss).item()).isEqualTo(1);
    executor.backward(loss);
    double first = executor.tensor(loss).item();
    assertThat(first).isNotEqualTo(1).isCloseTo(1, within(0.05));
    // What was dropped has no gradient: both see the same numbers.
    assertThat(executor.gradientOf(scale).item()).isCloseTo(first, within(1e-5));
    executor.backward(loss);
    assertThat(executor.tensor(loss).item()).isNotEqualTo(first);
    assertThatThrownBy(() -> dropout(x, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[dropout] the rate must be at least 0 and below 1; got 1.0.");
  }

  @Test
  void shapesThatDoNotFitNameTheOperator() {
    Variable<ristretto.expr.type.F32> a = Variable.input("a", F32, -1, 3);
    Variable<ristretto.expr.type.F32> b = Variable.input("b", F32, -1, 4);
    assertThatThrownBy(() -> a.plus(b))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[plus] the inputs must fit the operator; got a f32[?,3], b f32[?,4]: [add] shapes must"
                + " broadcast; got a f32[?,3], b f32[?,4]; last axis: 3 vs 4. Reshape one of"
                + " them.");
  }
}
