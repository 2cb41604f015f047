package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.symbolic.Layers.*;

import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;

/** Losses beside numbers of PyTorch 2.13 in double precision, and beside loops. */
class ReferenceLossesTest {
  private static final Context CTX = Context.open();
  private static final int[] LABELS = {3, 0, -1, 4};

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F64> z = Variable.input("z", F64, 4, 5);
  private final Variable<F64> other = Variable.input("other", F64, 4, 5);
  private final Variable<F64> third = Variable.input("third", F64, 4, 5);
  private final Variable<I32> labels = Variable.input("labels", I32, -1);
  private final Variable<F64> weights = Variable.input("weights", F64, 5);

  /** {@code 3 sin} of 20 numbers from -2 to 2.5. */
  private static double[] values() {
    return IntStream.range(0, 20).mapToDouble(k -> 3 * Math.sin(-2 + 4.5 * k / 19)).toArray();
  }

  private static double[] reversedRows() {
    double[] v = values();
    return IntStream.range(0, 20).mapToDouble(k -> v[(3 - k / 5) * 5 + k % 5]).toArray();
  }

  private static double[] rolled() {
    double[] v = values();
    return IntStream.range(0, 20).mapToDouble(k -> v[k / 5 * 5 + (k + 4) % 5]).toArray();
  }

  private Executor executor(Variable<F64> loss) {
    var executor = new Executor(CTX, loss);
    executor.wantGradients(z);
    for (Variable<?> v : executor.inputs()) {
      if (v == z) {
        executor.set(z, CTX.tensor(values(), 4, 5));
      } else if (v == other) {
        executor.set(other, CTX.tensor(reversedRows(), 4, 5));
      } else if (v == third) {
        executor.set(third, CTX.tensor(rolled(), 4, 5));
      } else if (v == labels) {
        executor.set(labels, CTX.tensor(LABELS));
      } else {
        executor.set(weights, CTX.tensor(new double[] {0.5, 1, 2, 1.5, 0.25}));
      }
    }
    executor.backward(loss);
    return executor;
  }

  private double value(Variable<F64> loss) {
    return executor(loss).tensor(loss).item();
  }

  @Test
  void weightedSmoothedCrossEntropy() {
    CrossEntropyOptions options = CrossEntropyOptions.of().weights(weights).ignore(-1);
    assertThat(value(softmaxCrossEntropy(z, labels, options)))
        .isCloseTo(2.1065786647973037, within(1e-12));
    Variable<F64> loss = softmaxCrossEntropy(z, labels, options.smoothing(0.1));
    Executor executor = executor(loss);
    assertThat(executor.tensor(loss).item()).isCloseTo(2.1461220934705447, within(1e-12));
    double[] slopes = executor.gradientOf(z).toDoubleArray();
    assertThat(slopes[3]).isCloseTo(-0.4916673725984812, within(1e-12));
    assertThat(slopes[7]).isCloseTo(0.01348909634873154, within(1e-12));
    assertThat(slopes[12]).isZero();
    assertThat(slopes[19]).isCloseTo(-0.0895425951212107, within(1e-12));
    Variable<F64> rows =
        softmaxCrossEntropy(z, labels, options.smoothing(0.1).summary(Summary.NONE));
    var each = new Executor(CTX, rows);
    each.set(z, CTX.tensor(values(), 4, 5));
    each.set(labels, CTX.tensor(LABELS));
    each.set(weights, CTX.tensor(new double[] {0.5, 1, 2, 1.5, 0.25}));
    each.forward();
    assertThat(each.tensor(rows).toDoubleArray())
        .containsExactly(
            new double[] {2.433582187117807, 1.6733628708002477, 0, 0.7218296523906711},
            within(1e-12));
  }

  /** Without options, other labels are errors; the mean of no rows is NaN. */
  @Test
  void labelsThatAreNoClassesAndIgnoredRows() {
    CrossEntropyOptions none = CrossEntropyOptions.of();
    assertThatThrownBy(() -> value(softmaxCrossEntropy(z, labels, none)))
        .isInstanceOf(ShapeException.class);
    assertThat(value(softmaxCrossEntropy(z, labels, none.ignore(-1)))).isFinite();
    Variable<F64> loss = softmaxCrossEntropy(z, labels, none.ignore(-1));
    var executor = new Executor(CTX, loss);
    executor.set(z, CTX.tensor(values(), 4, 5));
    executor.set(labels, CTX.tensor(new int[] {-1, -1, -1, -1}));
    executor.forward();
    assertThat(executor.tensor(loss).item()).isNaN();
  }

  @Test
  void divergencesAndDistances() {
    assertThat(value(klDivergence(logSoftmax(z, 1), softmax(other, 1))))
        .isCloseTo(0.08919513084973803, within(1e-12));
    assertThat(value(triplet(z, other, third, 1))).isCloseTo(8.80604569390318, within(1e-12));
    assertThat(value(infoNce(z, third, 0.1))).isCloseTo(0.8376152895511286, within(1e-12));
    double sum = 0;
    double[] v = values();
    double[] log = reversedRows();
    for (int k = 0; k < 20; k++) {
      sum += (v[k] * v[k] + Math.exp(log[k]) - 1 - log[k]) / 2;
    }
    assertThat(value(normalKlDivergence(z, other))).isCloseTo(sum / 4, within(1e-12));
  }

  /** Targets of 0 have neither loss nor gradient, even where the model's probability is 0. */
  @Test
  void divergenceOfZeros() {
    Variable<F64> log = Variable.input("log", F64, 1, 2);
    Variable<F64> t = Variable.input("t", F64, 1, 2);
    Variable<F64> loss = klDivergence(log, t);
    var executor = new Executor(CTX, loss);
    executor.wantGradients(log);
    executor.set(log, CTX.tensor(new double[] {0, Double.NEGATIVE_INFINITY}, 1, 2));
    executor.set(t, CTX.tensor(new double[] {1, 0}, 1, 2));
    executor.backward(loss);
    assertThat(executor.tensor(loss).item()).isZero();
    assertThat(executor.gradientOf(log).toDoubleArray()).containsExactly(-1, 0);
  }

  @Test
  void focalLosses() {
    double[] v = values();
    double expected = 0;
    int[] classes = {3, 0, 2, 4};
    for (int r = 0; r < 4; r++) {
      double all = 0;
      for (int c = 0; c < 5; c++) {
        all += Math.exp(v[r * 5 + c]);
      }
      double p = Math.exp(v[r * 5 + classes[r]]) / all;
      expected -= Math.pow(1 - p, 1.5) * Math.log(p) / 4;
    }
    Variable<F64> loss = focal(z, labels, 1.5);
    var executor = new Executor(CTX, loss);
    executor.set(z, CTX.tensor(v, 4, 5));
    executor.set(labels, CTX.tensor(classes));
    executor.forward();
    assertThat(executor.tensor(loss).item()).isCloseTo(expected, within(1e-12));
    double sum = 0;
    for (int k = 0; k < 20; k++) {
      double p = 1 / (1 + Math.exp(-v[k]));
      double t = reversedRows()[k] > 0 ? 1 : 0;
      sum -= 0.25 * t * Math.pow(1 - p, 2) * Math.log(p);
      sum -= 0.75 * (1 - t) * p * p * Math.log(1 - p);
    }
    Variable<F64> targets = apply("t", F64, x -> x.get(other).gt(0).cast(F64), other);
    assertThat(value(binaryFocal(z, targets, 2, 0.25))).isCloseTo(sum / 20, within(1e-12));
  }

  @Test
  void messages() {
    Variable<F32> single = Variable.input("single", F32, 5);
    assertThatThrownBy(
            () -> softmaxCrossEntropy(z, labels, CrossEntropyOptions.of().weights(single)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[softmaxCrossEntropy] weights must have the dtype of the logits; got single f32[5] for"
                + " z f64[4,5].");
    Variable<F64> four = Variable.input("four", F64, 4);
    assertThatThrownBy(() -> softmaxCrossEntropy(z, labels, CrossEntropyOptions.of().weights(four)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[softmaxCrossEntropy] the inputs must fit the operator; got z f64[4,5], labels i32[?],"
                + " four f64[4]: [weights] weights must have one entry per class; got [4] for"
                + " logits [4,5].");
    assertThatThrownBy(() -> CrossEntropyOptions.of().smoothing(2))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[softmaxCrossEntropy] label smoothing must be from 0 to 1; got 2.0.");
    assertThatThrownBy(() -> triplet(z, other, third, 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[triplet] the margin must be above 0; got 0.0.");
    assertThatThrownBy(() -> infoNce(z, other, 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[infoNce] the temperature must be above 0; got 0.0.");
    assertThatThrownBy(() -> infoNce(four, four, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[infoNce] the inputs must be [n, width]; got four f64[4].");
    assertThatThrownBy(() -> focal(z, labels, -1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[focal] gamma must be at least 0; got -1.0.");
    assertThatThrownBy(() -> binaryFocal(z, other, 2, 1.5))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[binaryFocal] alpha must be from 0 to 1; got 1.5.");
    Variable<F64> row = Variable.input("row", F64, 1, 5);
    assertThatThrownBy(() -> klDivergence(z, row))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[klDivergence] the inputs must fit the operator; got z f64[4,5], row f64[1,5]:"
                + " [klDivergence] the inputs must have the same shape; got [4,5] and [1,5].");
  }

  /** {@code [4, 1]} and {@code [4]} would compare each element with all others. */
  @Test
  void pairsAreNotBroadcast() {
    Variable<F64> column = Variable.input("column", F64, 4, 1);
    Variable<F64> four = Variable.input("four", F64, 4);
    Map<String, BinaryOperator<Variable<F64>>> losses =
        Map.of(
            "meanSquaredError", Layers::meanSquaredError,
            "meanAbsoluteError", Layers::meanAbsoluteError,
            "huber", (a, b) -> Layers.huber(a, b, 1),
            "binaryCrossEntropy", Layers::binaryCrossEntropy);
    losses.forEach((name, loss) ->
        assertThatThrownBy(() -> loss.apply(column, four))
            .isInstanceOf(ShapeException.class)
            .hasMessage(
                ("[%1$s] the inputs must fit the operator; got column f64[4,1], four f64[4]:"
                        + " [%1$s] the inputs must have the same shape, or one be a scalar; got"
                        + " [4,1] and [4]; reshape one.")
                    .formatted(name)));
  }

  @Test
  void oneTargetForAllIsAScalar() {
    Variable<F64> four = Variable.input("four", F64, 4);
    Variable<F64> one = Variable.input("one", F64);
    assertThat(Layers.binaryCrossEntropy(four, one).dims().rank()).isZero();
  }
}
