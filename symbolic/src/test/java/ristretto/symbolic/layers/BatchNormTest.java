package ristretto.symbolic.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;

/**
 * Batch normalization of channels whose mean is large beside their deviation, beside doubles. The
 * slack beyond that of small means is what rounding takes from the mean.
 */
class BatchNormTest {
  private static final Context CTX = Context.open();

  private static final int ROWS = 1000;
  private static final int CHANNELS = 8;
  private static final double EPSILON = 1e-5;

  private final Random random = new Random(3);
  private final Variable<F32> x = Variable.input("x", F32, ROWS, CHANNELS);
  private final Variable<F32> w = Variable.input("w", F32, ROWS, CHANNELS);
  private final Variable<F32> y = Layers.batchNorm("n", x);
  private final float[] values = new float[ROWS * CHANNELS];
  private final float[] weights = new float[ROWS * CHANNELS];

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Means are between two F32 values, so that rounding them moves the channels. */
  private Executor executor(double mean, Variable<?>... outputs) {
    for (int k = 0; k < values.length; k++) {
      values[k] = (float) (mean * (1 + 0.012345 * (k % CHANNELS)) + random.nextGaussian());
      weights[k] = (float) (random.nextGaussian() + 1);
    }
    var executor = new Executor(CTX, outputs);
    executor.set(x, CTX.tensor(values, ROWS, CHANNELS));
    executor.set(w, CTX.tensor(weights, ROWS, CHANNELS));
    executor.wantGradients(x);
    return executor;
  }

  /** One channel: its output, the gradient of {@code sum(y * w)}, and the square of that. */
  private record Channel(double[] y, double[] gradient) {
    static Channel of(double[] x, double... w) {
      int n = x.length;
      // Of nearly equal numbers: first less one of them.
      double shift = x[0];
      double mean = IntStream.range(0, n).mapToDouble(i -> x[i] - shift).sum() / n;
      double[] apart = IntStream.range(0, n).mapToDouble(i -> x[i] - shift - mean).toArray();
      double variance = dot(apart, apart) / n;
      double scale = 1 / Math.sqrt(variance + EPSILON);
      double[] y = IntStream.range(0, n).mapToDouble(i -> apart[i] * scale).toArray();
      double sum = IntStream.range(0, n).mapToDouble(i -> w[i]).sum() / n;
      double product = dot(y, w) / n;
      double[] g =
          IntStream.range(0, n).mapToDouble(i -> (w[i] - sum - y[i] * product) * scale).toArray();
      return new Channel(y, g);
    }
  }

  private static double dot(double[] a, double... b) {
    return IntStream.range(0, a.length).mapToDouble(i -> a[i] * b[i]).sum();
  }

  private static double[] channel(float[] all, int c) {
    return IntStream.range(0, ROWS).mapToDouble(i -> all[i * CHANNELS + c]).toArray();
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 1e3, 35_000, 1e6})
  void outputsAndGradients(double mean) {
    Variable<F32> loss = Layers.sum(y.times(w));
    Executor executor = executor(mean, y, loss);
    executor.backward(loss);
    float[] outputs = executor.tensor(y).toFloatArray();
    float[] gradients = executor.gradientOf(x).toFloatArray();
    for (int c = 0; c < CHANNELS; c++) {
      Channel expected = Channel.of(channel(values, c), channel(weights, c));
      double[] output = channel(outputs, c);
      double[] gradient = channel(gradients, c);
      for (int i = 0; i < ROWS; i++) {
        assertThat(output[i]).isCloseTo(expected.y[i], within(2e-6 + 1.5e-7 * mean));
        assertThat(gradient[i]).isCloseTo(expected.gradient[i], within(4e-6 + 6e-7 * mean));
      }
    }
  }

  /** The slope of {@code sum(square(gradient))} along a random direction, beside differences. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 1e3, 35_000, 1e6})
  void gradientsOfGradients(double mean) {
    Variable<F32> penalty =
        Layers.apply(
            "penalty",
            F32,
            v -> Ops.sum(Ops.square(Ops.gradient(Ops.sum(v.get(y).times(v.get(w))), v.get(x)))),
            y,
            x,
            w);
    Executor executor = executor(mean, penalty);
    executor.backward(penalty);
    float[] gradients = executor.gradientOf(x).toFloatArray();
    double total = 0;
    for (int c = 0; c < CHANNELS; c++) {
      double[] at = channel(values, c);
      double[] weight = channel(weights, c);
      double[] direction = random.doubles(ROWS, -1, 1).toArray();
      double step = 1e-3;
      double slope =
          (squared(at, direction, step, weight) - squared(at, direction, -step, weight))
              / (2 * step);
      double got = dot(channel(gradients, c), direction);
      double size = Math.sqrt(dot(channel(gradients, c), channel(gradients, c)) * ROWS);
      assertThat(got).isCloseTo(slope, within((1e-5 + 1e-10 * mean) * size));
      total += squared(at, direction, 0, weight);
    }
    assertThat(executor.tensor(penalty).item())
        .isCloseTo(total, within((3e-6 + 1e-8 * mean) * total));
  }

  private static double squared(double[] x, double[] direction, double step, double... w) {
    double[] moved =
        IntStream.range(0, ROWS).mapToDouble(i -> x[i] + step * direction[i]).toArray();
    double[] g = Channel.of(moved, w).gradient;
    return dot(g, g);
  }
}
