package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.AxesCase.Rule;
import ristretto.expr.OpCase.Domain;

/** Softmax and its kin along every axis. */
class RowFunctionTest {
  private static final Context CPU = Context.open("cpu");
  private static final Context ORACLE = Context.open("oracle");

  private static final List<AxesCase> CASES = new ArrayList<>();

  @AfterAll
  static void close() {
    CPU.close();
    ORACLE.close();
  }

  static Stream<AxesCase> cases() {
    return CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(AxesCase op) {
    op.check(CPU);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(AxesCase op) {
    op.checkLayouts(ORACLE);
  }

  /** Large and infinite elements: what overflows on the way is not seen. */
  @Test
  void extremeRows() {
    double inf = Double.POSITIVE_INFINITY;
    double[][] rows = {{1000, 1000, -1000}, {-1e30, 0, 1}, {-inf, 0, -inf}, {5e8, -5e8, 1}};
    for (double[] row : rows) {
      Tensor<F32> x = TestTensors.tensor(CPU, F32, Nd.vector(row));
      Nd softmax = Nd.vector(softmaxOf(row));
      Nd log = Nd.vector(logSoftmaxOf(row));
      Tolerance.SEVERAL.check(
          F32, softmax, TestTensors.read(CPU.eval(softmax(x, 0))), () -> Arrays.toString(row));
      Tolerance.SEVERAL.check(
          F32, log, TestTensors.read(CPU.eval(logSoftmax(x, 0))), () -> Arrays.toString(row));
    }
  }

  /** As in SciPy: the largest is infinite, or there is none. */
  @Test
  void rowsWithoutResult() {
    float inf = Float.POSITIVE_INFINITY;
    for (float[] row : new float[][] {{inf, 1}, {-inf, -inf}, {Float.NaN, 1}}) {
      Tensor<F32> x = CPU.tensor(row);
      assertThat(CPU.eval(softmax(x, 0)).toFloatArray()[0]).isNaN();
      assertThat(CPU.eval(logSoftmax(x, 0)).toFloatArray()[0]).isNaN();
      assertThat(CPU.eval(layerNorm(x, 0)).toFloatArray()[0]).isNaN();
    }
  }

  @Test
  void longRows() {
    for (AxesCase op : CASES) {
      op.check(CPU, op.dtypes().getFirst(), new long[] {20_011}, TestLayout.CONTIGUOUS, 0);
    }
  }

  /** A long sum of terms of very different magnitude. */
  private static final Tolerance SOFTMAX = new Tolerance(16, 2e-6, 0);

  // ---- the table ---------------------------------------------------------------------------

  private interface Along {
    Expr<F32> apply(Expr<F32> a, int axis);
  }

  private static void row(
      String name,
      Rule rule,
      Domain domain,
      Tolerance tolerance,
      Along ours,
      UnaryOperator<double[]> oracle) {
    CASES.add(
        new AxesCase(
            name + " of " + domain,
            rule,
            List.of(F32, F64),
            domain,
            tolerance,
            (a, axes) -> ours.apply(a, axes[0]),
            (v, axes) -> v.rows(oracle, axes[0])));
  }

  @Test
  void ofNothing() {
    Tensor<F32> none = CPU.zeros(F32, 3, 0);
    assertThat(CPU.eval(softmax(none, 1)).shape()).isEqualTo(Shape.of(3, 0));
    assertThat(CPU.eval(logSoftmax(none, 1)).shape()).isEqualTo(Shape.of(3, 0));
    assertThat(CPU.eval(logSumExp(none, 1)).toFloatArray())
        .containsOnly(Float.NEGATIVE_INFINITY)
        .hasSize(3);
  }

  private static double[] softmaxOf(double... row) {
    double max = DoubleStream.of(row).reduce(Double.NEGATIVE_INFINITY, Math::max);
    double[] e = DoubleStream.of(row).map(v -> Math.exp(v - max)).toArray();
    double sum = DoubleStream.of(e).sum();
    return DoubleStream.of(e).map(v -> v / sum).toArray();
  }

  private static double[] logSoftmaxOf(double... row) {
    double max = DoubleStream.of(row).reduce(Double.NEGATIVE_INFINITY, Math::max);
    double log = Math.log(DoubleStream.of(row).map(v -> Math.exp(v - max)).sum());
    return DoubleStream.of(row).map(v -> v - max - log).toArray();
  }

  private static double[] layerNormOf(double epsilon, double... row) {
    double mean = DoubleStream.of(row).sum() / row.length;
    double var = DoubleStream.of(row).map(v -> (v - mean) * (v - mean)).sum() / row.length;
    return DoubleStream.of(row).map(v -> (v - mean) / Math.sqrt(var + epsilon)).toArray();
  }

  static {
    for (Domain domain : List.of(Domain.ANY, Domain.SMALL)) {
      row(
          "softmax",
          Rule.ONE,
          domain,
          SOFTMAX,
          (a, axis) -> softmax(a, axis),
          row -> softmaxOf(row));
      row(
          "logSoftmax",
          Rule.ONE,
          domain,
          Tolerance.CANCELLING,
          (a, axis) -> logSoftmax(a, axis),
          row -> logSoftmaxOf(row));
    }
    for (DType<?> half : List.of(F16, BF16)) {
      CASES.add(
          new AxesCase(
              "softmax of " + half,
              Rule.ONE,
              List.of(half),
              Domain.SMALL,
              Tolerance.HALF,
              (a, axes) -> softmax(a, axes[0]),
              (v, axes) -> v.rows(row -> softmaxOf(row), axes[0])));
    }
    row(
        "layerNorm",
        Rule.ONE,
        Domain.SMALL,
        Tolerance.CANCELLING,
        (a, axis) -> layerNorm(a, axis),
        row -> layerNormOf(1e-5, row));
    row(
        "layerNorm with its own epsilon",
        Rule.ONE,
        Domain.ANY,
        Tolerance.CANCELLING,
        (a, axis) -> layerNorm(a, axis, 0.5),
        row -> layerNormOf(0.5, row));
    row(
        "softmax, scaled, in the middle of a map",
        Rule.ONE,
        Domain.ANY,
        Tolerance.CANCELLING,
        (a, axis) -> softmax(a.times(0.5), axis).times(a).plus(1),
        row -> {
          double[] s = softmaxOf(DoubleStream.of(row).map(v -> v / 2).toArray());
          Arrays.setAll(s, k -> s[k] * row[k] + 1);
          return s;
        });
    row(
        "mean and maximum of a row together",
        Rule.ONE_WITH_ELEMENTS,
        Domain.SMALL,
        Tolerance.EQUAL,
        (a, axis) -> a.minus(max(a, axis).keepDims()).times(sum(a, axis).keepDims()),
        row -> {
          double max = DoubleStream.of(row).reduce(Double.NEGATIVE_INFINITY, Math::max);
          double sum = DoubleStream.of(row).sum();
          return DoubleStream.of(row).map(v -> (v - max) * sum).toArray();
        });
  }
}
