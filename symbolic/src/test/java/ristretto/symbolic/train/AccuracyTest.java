package ristretto.symbolic.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.symbolic.Layers.squeeze;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/** Accuracies without some rows, and of single scores. */
class AccuracyTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<F32> z = Variable.input("z", F32, -1, -1, 3);
  private final Variable<I32> label = Variable.input("label", I32, -1, -1);
  private final Variable<F32> one = Variable.input("one", F32, -1, 1);
  private final Variable<F32> target = Variable.input("target", F32, -1, 1);
  private final Variable<I32> flat = Variable.input("flat", I32, -1);
  private final Executor executor = new Executor(CTX, z, squeeze(one, 1));

  @Test
  void ignoresPadding() {
    float[] scores = {0, 2, 1, 1, 0, 5, 3, 0, 1, 9, 0, 0};
    executor.set(z, CTX.tensor(scores, 2, 2, 3));
    executor.set(label, CTX.tensor(new int[] {1, 2, 0, 1}, 2, 2));
    assertThat(value(Metric.accuracy(z, label))).isEqualTo(0.75);
    assertThat(value(Metric.accuracy(z, label, 1))).isEqualTo(1);
    assertThat(value(Metric.accuracy(z, label, 0))).isEqualTo(2 / 3.0);
    executor.set(label, CTX.zeros(I32, 2, 2));
    assertThat(value(Metric.accuracy(z, label, 0))).isNaN();
  }

  private double value(Metric metric) {
    assertThat(metric.value()).isNaN();
    metric.update(executor, 2);
    metric.update(executor, 2);
    return metric.value();
  }

  @Test
  void comparesLogitsWithZero() {
    executor.set(one, CTX.tensor(new float[] {-1, 0.1f, 3, 0}, 4, 1));
    executor.set(target, CTX.tensor(new float[] {0, 1, 0, 0}, 4, 1));
    Metric accuracy = Metric.binaryAccuracy(one, target);
    assertThat(value(accuracy)).isEqualTo(0.75);
    accuracy.reset();
    assertThat(accuracy.value()).isNaN();
    assertThat(accuracy.higherIsBetter()).isTrue();
  }

  @Test
  void shapesMustFit() {
    executor.set(one, CTX.ones(F32, 4, 1));
    executor.set(flat, CTX.ones(I32, 4));
    assertThatThrownBy(() -> Metric.accuracy(one, flat).update(executor, 4))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[accuracy] scores must be [..., classes] for labels [...], with at least two classes;"
                + " got scores [4,1] for labels [4] in one f32[?,1] and flat i32[?]; for one score"
                + " per row, use Metric.binaryAccuracy.");
    executor.set(target, CTX.ones(F32, 3, 1));
    assertThatThrownBy(() -> Metric.binaryAccuracy(one, target).update(executor, 4))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[accuracy] binary targets must have the shape of the logits; got [3,1] for [4,1] in"
                + " target f32[?,1] and one f32[?,1]; reshape one.");
  }
}
