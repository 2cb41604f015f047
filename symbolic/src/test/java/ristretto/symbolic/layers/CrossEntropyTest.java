package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.normal;
import static ristretto.expr.Ops.uniform;
import static ristretto.symbolic.Layers.*;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.GradientCheck;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Cross-entropy of numbers and of probabilities of classes, beside plain loops. */
class CrossEntropyTest {
  private static final Context CTX = Context.open();
  private static final int ROWS = 5;
  private static final int CLASSES = 5;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F64> z =
      Variable.parameter("z", F64, Initializer.normal(2), ROWS, CLASSES);
  private final Variable<I32> labels = Variable.input("labels", I32, -1);
  private final Variable<F64> p = Variable.input("p", F64, -1, CLASSES);
  private static final int[] LABELS = {3, 0, 4, 4, 1};

  private static double[] losses(double[] z) {
    double[] all = new double[ROWS];
    for (int r = 0; r < ROWS; r++) {
      double sum = 0;
      for (int c = 0; c < CLASSES; c++) {
        sum += Math.exp(z[r * CLASSES + c]);
      }
      all[r] = Math.log(sum) - z[r * CLASSES + LABELS[r]];
    }
    return all;
  }

  /** Square logits, with as many rows as classes: labels and equal probabilities. */
  @ParameterizedTest
  @EnumSource(Summary.class)
  void bothFollowTheFormula(Summary summary) {
    Variable<F64> sparse = softmaxCrossEntropy(z, labels, summary);
    Variable<F64> dense = softmaxCrossEntropyOf(z, p, summary);
    Variable<F64> loss = sum(sparse.plus(dense).times(0.5));
    var executor = new Executor(CTX, 4, sparse, dense, loss);
    executor.set(labels, CTX.tensor(LABELS));
    executor.set(p, Ops.oneHot(F64, CTX.tensor(LABELS), CLASSES));
    executor.backward(loss);
    double[] each = losses(executor.tensor(z).toDoubleArray());
    double sum = java.util.Arrays.stream(each).sum();
    double[] expected =
        switch (summary) {
          case MEAN -> new double[] {sum / ROWS};
          case SUM -> new double[] {sum};
          case NONE -> each;
        };
    assertThat(executor.tensor(sparse).toDoubleArray()).containsExactly(expected, within(1e-12));
    assertThat(executor.tensor(dense).toDoubleArray()).containsExactly(expected, within(1e-12));
    GradientCheck.of(CTX, executor, loss);
  }

  /** Rows with sums other than 1, a weight for each, and learned probabilities. */
  @Test
  void gradientsOfWeightedRows() {
    Variable<F64> q = Variable.parameter("q", F64, Initializer.uniform(0, 1), ROWS, CLASSES);
    Variable<F64> weights = Variable.input("weights", F64, -1);
    Variable<F64> loss = sum(softmaxCrossEntropyOf(z, q, Summary.NONE).times(weights));
    var executor = new Executor(CTX, 4, loss);
    executor.set(weights, uniform(F64, 1, ROWS));
    GradientCheck.of(CTX, executor, loss);
  }

  @Test
  void probabilitiesMayBeTheLogits() {
    Variable<F64> loss = softmaxCrossEntropyOf(z, z, Summary.SUM);
    GradientCheck.of(CTX, new Executor(CTX, 4, loss), loss);
  }

  @Test
  void sequencesOfRows() {
    Variable<F64> x = Variable.input("x", F64, -1, 3, CLASSES);
    Variable<F64> shift = Variable.parameter("shift", F64, Initializer.normal(1), CLASSES);
    Variable<I32> numbers = Variable.input("numbers", I32, -1, 3);
    Variable<F64> loss = softmaxCrossEntropy(x.plus(shift), numbers);
    var executor = new Executor(CTX, loss);
    executor.set(x, normal(F64, 1, 2, 3, CLASSES));
    executor.set(numbers, CTX.arange(I32, 6).rem(CLASSES).reshape(2, 3));
    GradientCheck.of(CTX, executor, loss);
  }

  /** One kernel over the logits each way; the mean goes over the rows' losses alone. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void oneKernelEachWay(boolean sparse) {
    Variable<F32> x = Variable.parameter("x", F32, Initializer.normal(1), 50, 10);
    Variable<F32> t = Variable.input("t", F32, -1, 10);
    Variable<F32> each =
        sparse
            ? softmaxCrossEntropy(x, labels, Summary.NONE)
            : softmaxCrossEntropyOf(x, t, Summary.NONE);
    Variable<F32> loss = sparse ? softmaxCrossEntropy(x, labels) : softmaxCrossEntropyOf(x, t);
    for (Variable<F32> v : List.of(each, loss)) {
      var executor = new Executor(CTX, v);
      if (sparse) {
        executor.set(labels, CTX.arange(I32, 50).rem(10));
      } else {
        executor.set(t, Ops.fill(F32, 0.1, 50, 10));
      }
      executor.forward();
      assertThat(executor.explain().kernelCount())
          .as(executor.explain()::toString)
          .isEqualTo(v == each ? 1 : 2);
      if (v == loss) {
        executor.backward(loss);
        // One more counts the step.
        assertThat(executor.explain().kernelCount()).as(executor.explain()::toString).isEqualTo(4);
      }
    }
  }

  /** An unknown number of labels for a known number of rows is that number. */
  @Test
  void unknownExtentsMayMeetKnownOnes() {
    assertThat(softmaxCrossEntropy(z, labels, Summary.NONE).dims()).isEqualTo(Dims.of(ROWS));
    Variable<I32> two = Variable.input("two", I32, -1, 7);
    assertThatThrownBy(() -> softmaxCrossEntropy(z, two))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[softmaxCrossEntropy] the inputs must fit the operator; got z f64[5,5], two i32[?,7]:"
                + " [labels] labels must have one entry per row of the logits; got [?,7] for logits"
                + " [5,5]; drop or add an axis.");
  }

  /** So that training stops instead of learning nothing from them. */
  @Test
  void computedLabelsThatAreNoClassesHaveNoLoss() {
    Variable<I32> computed = apply("computed", I32, v -> v.get(labels).neg(), labels);
    Variable<F64> each = softmaxCrossEntropy(z, computed, Summary.NONE);
    var executor = new Executor(CTX, each);
    executor.set(labels, CTX.tensor(new int[] {0, 1, -4, -5, -1}));
    executor.forward();
    double[] losses = executor.tensor(each).toDoubleArray();
    assertThat(losses[1]).isNaN();
    assertThat(losses[3]).isNaN();
    assertThat(new double[] {losses[0], losses[2], losses[4]}).doesNotContain(Double.NaN);
  }
}
