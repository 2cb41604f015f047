package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.normal;
import static ristretto.symbolic.Layers.square;
import static ristretto.symbolic.Layers.sum;
import static ristretto.symbolic.Layers.tanh;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/**
 * Convolutions, normalizations and embeddings as values, beside plain loops in double precision.
 */
class LayerValuesTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private record Case(String name, Layer layer, String parameters, long... shape) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    Window window = Window.of(3, 2).stride(2, 1).padding(1, 0);
    return Stream.of(
        new Case("dense", new Dense("d", 2).bias(false), "d.weight f64[4,2]", 3, 4),
        new Case("dense of rank 3", new Dense("d", 2).bias(false), "d.weight f64[4,2]", 2, 3, 4),
        new Case(
            "conv without bias",
            new Conv("c", 4, window).bias(false),
            "c.weight f64[4,3,3,2]",
            2,
            3,
            5,
            4),
        new Case(
            "depthwise conv",
            new Conv("c", 6, window).depthwise(),
            "c.weight f64[6,1,3,2], c.bias f64[6]",
            2,
            3,
            5,
            4),
        new Case(
            "grouped conv",
            new Conv("c", 4, window).groups(2).bias(Initializer.constant(0.3)),
            "c.weight f64[4,2,3,2], c.bias f64[4]",
            2,
            4,
            5,
            4),
        new Case(
            "transposed conv",
            new ConvTranspose("t", 2, window),
            "t.weight f64[3,2,3,2], t.bias f64[2]",
            2,
            3,
            4,
            3),
        new Case(
            "transposed conv with everything",
            new ConvTranspose(
                    "t",
                    4,
                    Window.of(3, 2)
                        .stride(2, 3)
                        .dilation(1, 2)
                        .padding(new long[] {1, 0}, new long[] {0, 1}))
                .groups(2)
                .outputPadding(1, 2)
                .bias(false),
            "t.weight f64[4,2,3,2]",
            2,
            4,
            4,
            3),
        new Case(
            "transposed conv of sequences",
            new ConvTranspose("t", 2, Window.of(4).stride(2).padding(1)),
            "t.weight f64[3,2,4], t.bias f64[2]",
            2,
            3,
            5),
        new Case("layerNorm", new LayerNorm("n"), "n.weight f64[5], n.bias f64[5]", 3, 5),
        new Case(
            "layerNorm without bias",
            new LayerNorm("n").bias(false).epsilon(0.1),
            "n.weight f64[5]",
            3,
            5),
        new Case("plain layerNorm", new LayerNorm("n").affine(false), "", 3, 5),
        new Case("rmsNorm", new RmsNorm("n"), "n.weight f64[5]", 3, 5),
        new Case("plain rmsNorm", new RmsNorm("n").affine(false).epsilon(0.1), "", 3, 5),
        new Case("groupNorm", new GroupNorm("n", 2), "n.weight f64[4], n.bias f64[4]", 2, 4, 3),
        new Case("plain groupNorm", new GroupNorm("n", 2).affine(false), "", 2, 4, 3),
        new Case("instanceNorm", new InstanceNorm("n"), "", 2, 3, 4, 2),
        new Case(
            "affine instanceNorm",
            new InstanceNorm("n").affine(true).epsilon(0.1),
            "n.weight f64[3], n.bias f64[3]",
            2,
            3,
            5),
        new Case("batchNorm", new BatchNorm("n"), "n.weight f64[3], n.bias f64[3]", 5, 3),
        new Case(
            "plain batchNorm",
            new BatchNorm("n").affine(false).epsilon(0.1).momentum(0.5),
            "",
            2,
            3,
            4,
            2));
  }

  /** Gradients of a loss, and of the squared length of a gradient, beside differences. */
  @ParameterizedTest
  @MethodSource("cases")
  void gradientsOfBothOrders(Case c) {
    long[] unknown = c.shape.clone();
    unknown[0] = -1;
    Variable<F64> x = Variable.input("x", F64, unknown);
    long[] one = c.shape.clone();
    one[0] = 1;
    Variable<F64> shift = Variable.parameter("shift", F64, Initializer.normal(1), one);
    Variable<F64> shifted = x.plus(shift);
    Variable<F64> y = c.layer.of(shifted);
    Variable<F64> loss = sum(y.times(Layers.sigmoid(y)));
    Variable<F64> penalty =
        Layers.apply(
            "penalty",
            F64,
            v -> {
              Expr<F64> wave = Ops.sum(Ops.sin(v.get(y)).plus(Ops.square(v.get(y))));
              return Ops.sum(Ops.square(Ops.gradient(wave, v.get(shifted))));
            },
            y,
            shifted);
    for (Variable<F64> output : List.of(loss, penalty)) {
      var executor = new Executor(CTX, 3, y, output);
      executor.set(x, normal(F64, 3, c.shape));
      executor.backward(output);
      assertThat(y.dims().accepts(executor.tensor(y).shape())).isTrue();
      assertThat(executor.tensor(output).item()).isNotZero();
      GradientCheck.of(CTX, executor, output);
    }
    var executor = new Executor(CTX, 3, loss);
    assertThat(
            executor.parameters().stream().filter(p -> p != shift).map(Variable::toString).toList())
        .containsExactlyInAnyOrder(
            c.parameters.isEmpty() ? new String[0] : c.parameters.split(", "));
  }

  /** Each layer applied twice has the parameters of one, and the output of each is that of one. */
  @ParameterizedTest
  @MethodSource("cases")
  void applicationsShareParameters(Case c) {
    Variable<F64> a = Variable.input("a", F64, c.shape);
    Variable<F64> b = Variable.input("b", F64, c.shape);
    Variable<F64> first = c.layer.of(a);
    Variable<F64> second = c.layer.of(b);
    var executor = new Executor(CTX, 3, first, second);
    executor.set(a, normal(F64, 3, c.shape));
    executor.set(b, normal(F64, 3, c.shape));
    executor.forward();
    assertThat(executor.parameters().size())
        .isEqualTo(c.parameters.isEmpty() ? 0 : c.parameters.split(", ").length);
    assertThat(executor.tensor(first).toDoubleArray())
        .containsExactly(executor.tensor(second).toDoubleArray());
  }

  /** One axis: each input element adds its product with the filter to the output. */
  @ParameterizedTest
  @CsvSource({
    "5, 3, 1, 1, 0, 0, 0",
    "5, 3, 2, 1, 1, 1, 0",
    "4, 4, 3, 2, 2, 1, 2",
    "1, 2, 2, 1, 0, 0, 1",
    "7, 1, 3, 1, 0, 0, 2"
  })
  void transposedConvolutions(
      int in, int size, int stride, int dilation, int before, int after, int more) {
    Variable<F64> x = Variable.input("x", F64, -1, 2, -1);
    Window window =
        Window.of(size)
            .stride(stride)
            .dilation(dilation)
            .padding(new long[] {before}, new long[] {after});
    Variable<F64> y = new ConvTranspose("t", 3, window).outputPadding(more).of(x);
    assertThat(y.dims()).isEqualTo(Dims.of(-1, 3, -1));
    var executor = new Executor(CTX, 3, y);
    executor.set(x, normal(F64, 5, 2, 2, in));
    executor.forward();
    double[] v = executor.tensor(x).toDoubleArray();
    double[] w = executor.tensor(executor.parameters().get(0)).as(F64).toDoubleArray();
    int out = (in - 1) * stride - before - after + dilation * (size - 1) + 1 + more;
    assertThat(executor.tensor(y).shape().toArray()).containsExactly(2, 3, out);
    double[] expected = new double[2 * 3 * out];
    for (int n = 0; n < 2; n++) {
      for (int c = 0; c < 2; c++) {
        for (int f = 0; f < 3; f++) {
          for (int t = 0; t < in; t++) {
            for (int k = 0; k < size; k++) {
              int at = t * stride + k * dilation - before;
              if (at >= 0 && at < out) {
                expected[(n * 3 + f) * out + at] +=
                    v[(n * 2 + c) * in + t] * w[(c * 3 + f) * size + k];
              }
            }
          }
        }
      }
    }
    assertThat(executor.tensor(y).toDoubleArray()).containsExactly(expected, within(1e-12));
  }

  @Test
  void depthwiseConvolutionsReadOneChannel() {
    Variable<F64> x = Variable.input("x", F64, 1, 2, 5);
    Variable<F64> y = new Conv("c", 4, Window.of(2)).depthwise().bias(false).of(x);
    var executor = new Executor(CTX, 3, y);
    executor.set(x, normal(F64, 5, 1, 2, 5));
    executor.forward();
    double[] v = executor.tensor(x).toDoubleArray();
    double[] w = executor.tensor(executor.parameters().get(0)).as(F64).toDoubleArray();
    double[] expected = new double[16];
    for (int f = 0; f < 4; f++) {
      for (int t = 0; t < 4; t++) {
        int from = f / 2 * 5 + t;
        expected[f * 4 + t] = v[from] * w[f * 2] + v[from + 1] * w[f * 2 + 1];
      }
    }
    assertThat(executor.tensor(y).toDoubleArray()).containsExactly(expected, within(1e-12));
  }

  /** Rows of 7 elements, and groups of two channels with 3 elements each. */
  @ParameterizedTest
  @ValueSource(strings = {"layer", "rms", "group", "instance"})
  void normalizations(String kind) {
    long[] shape = "layer rms".contains(kind) ? new long[] {3, 7} : new long[] {2, 4, 3};
    double epsilon = 0.01;
    Layer layer =
        switch (kind) {
          case "layer" -> new LayerNorm("n").epsilon(epsilon);
          case "rms" -> new RmsNorm("n").epsilon(epsilon);
          case "group" -> new GroupNorm("n", 2).epsilon(epsilon);
          default -> new InstanceNorm("n").epsilon(epsilon);
        };
    int row =
        switch (kind) {
          case "layer", "rms" -> 7;
          case "group" -> 6;
          default -> 3;
        };
    Variable<F64> x = Variable.input("x", F64, shape);
    Variable<F64> y = layer.of(x);
    var executor = new Executor(CTX, 3, y);
    executor.set(x, normal(F64, 5, shape).plus(0.7));
    executor.forward();
    double[] v = executor.tensor(x).toDoubleArray();
    double[] expected = new double[v.length];
    for (int from = 0; from < v.length; from += row) {
      double mean = 0;
      double squares = 0;
      for (int k = from; k < from + row; k++) {
        mean += "rms".equals(kind) ? 0 : v[k] / row;
      }
      for (int k = from; k < from + row; k++) {
        squares += (v[k] - mean) * (v[k] - mean) / row;
      }
      for (int k = from; k < from + row; k++) {
        expected[k] = (v[k] - mean) / Math.sqrt(squares + epsilon);
      }
    }
    assertThat(executor.tensor(y).toDoubleArray()).containsExactly(expected, within(1e-12));
  }

  @Test
  void batchNormKeepsStatisticsWithPyTorchsNames() {
    Variable<F64> x = Variable.input("x", F64, -1, 2);
    Variable<F64> y = new BatchNorm("bn").momentum(0.5).epsilon(0.1).affine(false).of(x);
    Variable<F64> shift = Variable.parameter("shift", F64, Initializer.zeros(), 2);
    Variable<F64> loss = sum(square(y.plus(shift)));
    var executor = new Executor(CTX, y, loss);
    executor.set(x, CTX.tensor(new double[] {1, 10, 3, 20, 5, 60}, 3, 2));
    executor.backward(loss);
    executor.forward();
    double[] used = executor.tensor(y).toDoubleArray();
    double mean = 0.5 * 3;
    double variance = 0.5 + 0.5 * 4;
    assertThat(used[0]).isCloseTo((1 - mean) / Math.sqrt(variance + 0.1), within(1e-12));
    assertThat(
            new ristretto.symbolic.run.Graph(List.of(loss))
                .of(Variable.Kind.STATE).stream().map(Variable::name))
        .containsExactlyInAnyOrder("bn.running_mean", "bn.running_var");
  }

  @Test
  void embeddingsShareTheirTableWithLogits() {
    Variable<I32> words = Variable.input("words", I32, -1, -1);
    var tokens = new Embedding("wte", 5, 3).weight(Initializer.normal(0.5));
    Variable<F64> rows = tokens.of(words, F64);
    Variable<F64> logits = tokens.logits(tanh(rows));
    assertThat(logits.dims()).isEqualTo(Dims.of(-1, -1, 5));
    Variable<F64> loss = sum(square(Layers.logSoftmax(logits, -1)));
    Variable<F64> penalty =
        Layers.apply(
            "penalty",
            F64,
            v -> Ops.sum(Ops.square(Ops.gradient(Ops.sum(Ops.sin(v.get(logits))), v.get(rows)))),
            logits,
            rows);
    for (Variable<F64> output : List.of(loss, penalty)) {
      var executor = new Executor(CTX, 3, logits, rows, output);
      executor.set(words, CTX.tensor(new int[] {1, 3, 1, 0, 4, 3}, 2, 3));
      assertThat(executor.parameters())
          .extracting(Variable::toString)
          .containsExactly("wte.weight f64[5,3]");
      GradientCheck.of(CTX, executor, output);
      executor.forward();
      double[] table = executor.tensor(executor.parameters().get(0)).as(F64).toDoubleArray();
      double[] expected = new double[5];
      for (int c = 0; c < 5; c++) {
        for (int k = 0; k < 3; k++) {
          expected[c] += Math.tanh(table[3 + k]) * table[c * 3 + k];
        }
      }
      assertThat(java.util.Arrays.copyOf(executor.tensor(logits).toDoubleArray(), 5))
          .containsExactly(expected, within(1e-12));
    }
  }

  @Test
  void paddingYieldsZerosWithoutGradient() {
    Variable<I32> words = Variable.input("words", I32, -1);
    Variable<F64> rows = new Embedding("e", 4, 2).padding(2).of(words, F64);
    Variable<F64> loss = sum(rows);
    var executor = new Executor(CTX, 3, rows, loss);
    executor.set(words, CTX.tensor(new int[] {2, 1, 2}, 3));
    executor.backward(loss);
    Variable<?> table = executor.parameters().get(0);
    assertThat(executor.gradientOf(table).as(F64).toDoubleArray())
        .containsExactly(0, 0, 1, 1, 0, 0, 0, 0);
    double[] values = executor.tensor(table).as(F64).toDoubleArray();
    assertThat(executor.tensor(rows).toDoubleArray())
        .containsExactly(0, 0, values[2], values[3], 0, 0);
  }

  @Test
  void messages() {
    Variable<F64> images = Variable.input("images", F64, -1, 6, 4, 4);
    assertThatThrownBy(() -> new Conv("c", 9, Window.of(3, 3)).depthwise().of(images))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[c] the input must have 4 axes, with a known number of channels that the groups"
                + " divide, as they do the filters; got images f64[?,6,4,4], 9 filters,"
                + " depthwise.");
    assertThatThrownBy(() -> new Conv("c", 9, Window.of(3, 3)).groups(0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[c] there must be at least one group; got 0.");
    var up = new ConvTranspose("up", 4, Window.of(3, 3).stride(2, 2));
    assertThatThrownBy(() -> up.groups(0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[up] there must be at least one group; got 0.");
    assertThatThrownBy(() -> up.groups(4).of(images))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[up] the input must have 4 axes, with a known number of channels that the groups"
                + " divide, as they do the filters; got images f64[?,6,4,4], 4 filters, 4 groups.");
    assertThatThrownBy(() -> up.outputPadding(2, 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[up] output padding must be one number for each axis of the window, from 0 to below"
                + " the stride or the dilation; got [2, 0] for window [3, 3] stride [2, 2] dilation"
                + " [1, 1] padding [0, 0].");
    assertThatThrownBy(() -> new BatchNorm("bn").momentum(1.5))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[bn] the momentum is the weight of a batch in the running statistics, from 0 to 1; got"
                + " 1.5.");
    Variable<F64> rows = Variable.input("rows", F64, -1, 6);
    assertThatThrownBy(() -> new InstanceNorm("in").of(rows))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[in] the input must be [n, c, ...] with at least one axis after the channels, over"
                + " which a channel is normalized; got rows f64[?,6].");
    assertThatThrownBy(() -> new Embedding("e", 0, 4))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[e] a table must have at least one row and one column; got 0 rows of width 4.");
    var table = new Embedding("e", 10, 4);
    assertThatThrownBy(() -> table.padding(10))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[e] the padding must be an index of the table, from 0 to 9; got 10.");
    assertThatThrownBy(() -> table.logits(rows))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[e] the width of the input must be that of the table; got rows f64[?,6] for a width of"
                + " 4.");
  }
}
