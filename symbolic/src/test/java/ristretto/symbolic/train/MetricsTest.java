package ristretto.symbolic.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;

/** Metrics over two batches of different sizes, beside values by the definitions. */
class MetricsTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F32> x = Variable.input("x", F32, -1);
  private final Variable<F32> t = Variable.input("t", F32, -1);
  private final Executor executor = new Executor(CTX, Layers.mean(x.plus(t)));

  private double over(Metric metric, float[] outputs, float[] targets, int cut) {
    metric.reset();
    assertThat(metric.value()).isNaN();
    for (int[] part : new int[][] {{0, cut}, {cut, outputs.length}}) {
      executor.set(x, CTX.tensor(Arrays.copyOfRange(outputs, part[0], part[1])));
      executor.set(t, CTX.tensor(Arrays.copyOfRange(targets, part[0], part[1])));
      executor.forward();
      metric.update(executor, part[1] - part[0]);
    }
    return metric.value();
  }

  @Test
  void regressions() {
    float[] outputs = {1, 2, 4, 7, -3};
    float[] targets = {2, 2, 1, 8, -1};
    assertThat(over(Metric.meanAbsoluteError(x, t), outputs, targets, 2))
        .isCloseTo(7 / 5.0, within(1e-12));
    assertThat(over(Metric.rootMeanSquaredError(x, t), outputs, targets, 2))
        .isCloseTo(Math.sqrt(15 / 5.0), within(1e-12));
    // Targets have the mean 2.4 and squared distances of 45.2 from it.
    assertThat(over(Metric.r2(x, t), outputs, targets, 2)).isCloseTo(1 - 15 / 45.2, within(1e-12));
    // Far from 0, where sums of squares would lose all digits.
    float[] far = {10_000_000, 10_000_001, 10_000_002};
    assertThat(over(Metric.r2(x, t), far, far, 1)).isEqualTo(1);
    assertThat(Metric.r2(x, t).higherIsBetter()).isTrue();
    assertThat(Metric.meanAbsoluteError(x, t).higherIsBetter()).isFalse();
  }

  @Test
  void areaUnderTheCurve() {
    Metric auc = Metric.auc(x, t);
    // Of 2 * 3 pairs: 4 in order, one tie, one not.
    assertThat(over(auc, new float[] {1, 3, 3, 2, 0.5f}, new float[] {0, 1, 0, 1, 0}, 2))
        .isEqualTo(4.5 / 6);
    assertThat(over(auc, new float[] {5, 5, 5}, new float[] {0, 1, 0}, 1)).isEqualTo(0.5);
    assertThat(over(auc, new float[] {1, 2}, new float[] {1, 1}, 1)).isNaN();
    assertThat(over(auc, new float[] {1, Float.NaN}, new float[] {1, 0}, 1)).isNaN();
    assertThat(
            over(
                auc,
                new float[] {Float.NEGATIVE_INFINITY, 1, Float.POSITIVE_INFINITY},
                new float[] {0, 1, 1},
                1))
        .isEqualTo(1);
  }

  @Test
  void binaryF1() {
    Metric f1 = Metric.binaryF1(x, t);
    // Two hits, one false alarm, one miss.
    assertThat(over(f1, new float[] {1, 2, 3, -1, -2}, new float[] {1, 1, 0, 1, 0}, 3))
        .isEqualTo(4 / 6.0);
    assertThat(over(f1, new float[] {-1, -2}, new float[] {0, 0}, 1)).isZero();
  }

  /** Labels 0, 0, 1, 2, 2, 2 predicted as 0, 1, 1, 2, 2, 0; class 3 does not occur. */
  @Test
  void classScores() {
    Variable<F32> scores = Variable.input("scores", F32, -1, 4);
    Variable<I32> labels = Variable.input("labels", I32, -1);
    var model =
        new Executor(CTX, Layers.mean(scores), Layers.apply("l", I32, v -> v.get(labels), labels));
    int[] label = {0, 0, 1, 2, 2, 2};
    int[] taken = {0, 1, 1, 2, 2, 0};
    record Case(Metric metric, double value) {}
    var cases =
        List.of(
            new Case(Metric.f1(scores, labels), (0.5 + 2 / 3.0 + 0.8) / 3),
            new Case(
                Metric.f1(scores, labels, Average.WEIGHTED), (2 * 0.5 + 2 / 3.0 + 3 * 0.8) / 6),
            new Case(Metric.f1(scores, labels, Average.MICRO), 4 / 6.0),
            new Case(Metric.precision(scores, labels, Average.MACRO), (0.5 + 0.5 + 1) / 3),
            new Case(Metric.recall(scores, labels, Average.MACRO), (0.5 + 1 + 2 / 3.0) / 3));
    for (Case c : cases) {
      assertThat(c.metric.value()).isNaN();
      for (int[] part : new int[][] {{0, 4}, {4, 6}}) {
        var logits = new float[(part[1] - part[0]) * 4];
        for (int k = part[0]; k < part[1]; k++) {
          logits[(k - part[0]) * 4 + taken[k]] = 1;
        }
        model.set(scores, CTX.tensor(logits, part[1] - part[0], 4));
        model.set(labels, CTX.tensor(Arrays.copyOfRange(label, part[0], part[1])));
        model.forward();
        c.metric.update(model, part[1] - part[0]);
      }
      assertThat(c.metric.value()).as(c.metric.name()).isCloseTo(c.value, within(1e-12));
    }
  }

  @Test
  void calibration() {
    Variable<F32> logits = Variable.input("logits", F32, -1, 2);
    Variable<I32> labels = Variable.input("labels", I32, -1);
    var model =
        new Executor(CTX, Layers.mean(logits), Layers.apply("l", I32, v -> v.get(labels), labels));
    // Probabilities 0.6, 0.6, 0.95 and 0.5; the first, third and fourth are right.
    float a = (float) Math.log(0.6 / 0.4);
    float b = (float) Math.log(0.95 / 0.05);
    model.set(logits, CTX.tensor(new float[] {a, 0, a, 0, 0, b, 0, 0}, 4, 2));
    model.set(labels, CTX.tensor(new int[] {0, 1, 1, 0}));
    model.forward();
    Metric metric = Metric.calibrationError(logits, labels, 10);
    assertThat(metric.value()).isNaN();
    metric.update(model, 4);
    // 0.6 in F32 is above 0.6: bins (0.6, 0.7], (0.9, 1], (0.4, 0.5].
    assertThat(metric.value())
        .isCloseTo((Math.abs(1.2 - 1) + Math.abs(0.95 - 1) + Math.abs(0.5 - 1)) / 4, within(1e-6));
  }

  @Test
  void messages() {
    Variable<F32> column = Variable.input("column", F32, -1, 1);
    var model = new Executor(CTX, Layers.mean(column), Layers.mean(t));
    model.set(column, CTX.zeros(F32, 3, 1));
    model.set(t, CTX.zeros(F32, 3));
    model.forward();
    for (Metric metric : List.of(Metric.r2(column, t), Metric.auc(column, t))) {
      assertThatThrownBy(() -> metric.update(model, 3))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "["
                  + metric.name()
                  + "] outputs and targets must have one shape; got [3,1] for [3] in column"
                  + " f32[?,1] and t f32[?]; reshape one of them.");
    }
    Variable<I32> labels = Variable.input("labels", I32, -1);
    assertThatThrownBy(() -> Metric.calibrationError(column, labels, 0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[calibration] there must be at least 1 bin; got 0.");
  }
}
