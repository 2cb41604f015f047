package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;

import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/** Slopes of logits beside {@code sigmoid(z) - t}, computed without cancellation. */
class BinaryCrossEntropyTest {
  private static double sigma(double z) {
    double e = Math.exp(-Math.abs(z));
    return (z < 0 ? e : 1) / (1 + e);
  }

  @Test
  void slopesKeepTheirDigits() {
    float[] z = {-85, -30, -17, -1, 0, 0, 0, 1, 17, 30, 85, -40, 40};
    float[] t = {0, 0, 0, 0, 0, 0.5f, 1, 1, 1, 1, 1, 1, 0};
    Variable<F32> logits = Variable.input("logits", F32, -1);
    Variable<F32> targets = Variable.input("targets", F32, -1);
    Variable<F32> loss = LossLayers.binaryCrossEntropy(logits, targets);
    try (Context ctx = Context.open()) {
      var executor = new Executor(ctx, loss);
      executor.wantGradients(logits);
      executor.set(logits, ctx.tensor(z));
      executor.set(targets, ctx.tensor(t));
      executor.backward(loss);
      float[] slopes = executor.gradientOf(logits).toFloatArray();
      double value = 0;
      for (int k = 0; k < z.length; k++) {
        double wanted = ((1 - t[k]) * sigma(z[k]) - t[k] * sigma(-z[k])) / z.length;
        assertThat((double) slopes[k])
            .as("%s, %s", z[k], t[k])
            .isCloseTo(wanted, within(1e-6 * Math.abs(wanted)));
        value -= t[k] * Math.log(sigma(z[k])) + (1 - t[k]) * Math.log(sigma(-z[k]));
      }
      assertThat(executor.tensor(loss).item()).isCloseTo(value / z.length, within(1e-5));
    }
  }
}
