package ristretto.symbolic.data.audio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;

import java.util.Random;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;

class AudioFeaturesTest {
  private static final int RATE = 1000;
  private static final int FRAME = 37;
  private static final int HOP = 11;
  private static final int BANDS = 7;
  private static final int BINS = FRAME / 2 + 1;

  private static float[] noise(int count) {
    var random = new Random(4);
    float[] x = new float[count];
    for (int k = 0; k < count; k++) {
      x[k] = (float) random.nextGaussian();
    }
    return x;
  }

  /** Power spectra of frames, by the definition. */
  private static double[][] power(float[] x) {
    double[][] all = new double[1 + (x.length - FRAME) / HOP][BINS];
    for (int f = 0; f < all.length; f++) {
      for (int k = 0; k < BINS; k++) {
        double re = 0;
        double im = 0;
        for (int t = 0; t < FRAME; t++) {
          double window = Math.pow(Math.sin(Math.PI * t / FRAME), 2);
          re += window * x[f * HOP + t] * Math.cos(2 * Math.PI * k * t / FRAME);
          im += window * x[f * HOP + t] * Math.sin(2 * Math.PI * k * t / FRAME);
        }
        all[f][k] = re * re + im * im;
      }
    }
    return all;
  }

  private static double corner(int b) {
    double most = 2595 * Math.log10(1 + RATE / 2.0 / 700);
    return 700 * (Math.pow(10, most * b / (BANDS + 1) / 2595) - 1);
  }

  private static double[] logMel(double[] power) {
    double[] mel = new double[BANDS];
    for (int b = 0; b < BANDS; b++) {
      double sum = 0;
      for (int k = 0; k < BINS; k++) {
        double f = (double) k * RATE / FRAME;
        double low = corner(b);
        double middle = corner(b + 1);
        double high = corner(b + 2);
        double weight = f <= middle ? (f - low) / (middle - low) : (high - f) / (high - middle);
        sum += Math.max(0, weight) * power[k];
      }
      mel[b] = Math.log(Math.max(1e-10, sum));
    }
    return mel;
  }

  @Test
  void featuresFollowTheirDefinition() {
    try (var ctx = Context.open()) {
      var features = new AudioFeatures(ctx, RATE, FRAME, HOP, BANDS);
      float[] x = noise(2 * 101);
      Tensor<ristretto.expr.type.F32> sound = ctx.tensor(x, 2, 101);
      float[] power = ctx.eval(features.power(sound)).toFloatArray();
      float[] mel = ctx.eval(features.logMel(sound)).toFloatArray();
      Tensor<ristretto.expr.type.F32> cepstra = ctx.eval(features.mfcc(sound, 5));
      assertThat(cepstra.shape()).isEqualTo(Shape.of(2, 6, 5));
      float[] mfcc = cepstra.toFloatArray();
      for (int n = 0; n < 2; n++) {
        double[][] expected = power(java.util.Arrays.copyOfRange(x, 101 * n, 101 * (n + 1)));
        assertThat(expected).hasDimensions(6, BINS);
        for (int f = 0; f < 6; f++) {
          for (int k = 0; k < BINS; k++) {
            assertThat((double) power[(n * 6 + f) * BINS + k])
                .isCloseTo(expected[f][k], within(1e-4 * (1 + expected[f][k])));
          }
          double[] bands = logMel(expected[f]);
          for (int b = 0; b < BANDS; b++) {
            assertThat((double) mel[(n * 6 + f) * BANDS + b]).isCloseTo(bands[b], within(1e-3));
          }
          for (int c = 0; c < 5; c++) {
            double sum = 0;
            for (int b = 0; b < BANDS; b++) {
              sum += bands[b] * Math.cos(Math.PI * c * (b + 0.5) / BANDS);
            }
            double scale = Math.sqrt((c == 0 ? 1.0 : 2.0) / BANDS);
            assertThat((double) mfcc[(n * 6 + f) * 5 + c]).isCloseTo(scale * sum, within(2e-3));
          }
        }
      }
    }
  }

  @Test
  void silenceIsFinite() {
    try (var ctx = Context.open()) {
      var features = new AudioFeatures(ctx, RATE, FRAME, HOP, BANDS);
      for (float v : ctx.eval(features.logMel(ctx.zeros(F32, 1, 50))).toFloatArray()) {
        assertThat(v).isCloseTo((float) Math.log(1e-10), within(1e-4f));
      }
    }
  }

  @Test
  void modelsTakeFeaturesOfAnyLengthAndHaveGradients() {
    try (var ctx = Context.open()) {
      var features = new AudioFeatures(ctx, RATE, FRAME, HOP, BANDS);
      Variable<ristretto.expr.type.F32> x = Variable.input("x", F32, -1, -1);
      Variable<ristretto.expr.type.F32> mel =
          Layers.apply("mel", F32, v -> features.logMel(v.get(x)), x);
      Variable<ristretto.expr.type.F32> loss =
          Layers.apply("loss", F32, v -> Ops.mean(v.get(mel)), mel);
      var executor = new Executor(ctx, loss);
      executor.wantGradients(x);
      for (int samples : new int[] {60, 101}) {
        float[] values = noise(2 * samples);
        Tensor<ristretto.expr.type.F32> sound = ctx.tensor(values, 2, samples);
        executor.set(x, sound);
        executor.backward(loss);
        float[] slope = executor.gradientOf(x).toFloatArray();
        Expr<ristretto.expr.type.F32> direction = Ops.normal(F32, 5, 2, samples);
        double step = 1e-3;
        double up = mean(ctx, features, sound.plus(direction.times(step)));
        double down = mean(ctx, features, sound.minus(direction.times(step)));
        float[] d = ctx.eval(direction).toFloatArray();
        double product = 0;
        for (int k = 0; k < d.length; k++) {
          product += slope[k] * d[k];
        }
        assertThat(product)
            .isCloseTo((up - down) / (2 * step), within(0.02 + 0.02 * Math.abs(product)));
      }
    }
  }

  private static double mean(
      Context ctx, AudioFeatures features, Expr<ristretto.expr.type.F32> sound) {
    double sum = 0;
    float[] all = ctx.eval(features.logMel(ctx.eval(sound))).toFloatArray();
    for (float v : all) {
      sum += v;
    }
    return sum / all.length;
  }

  @Test
  void mistakesAreFound() {
    try (var ctx = Context.open()) {
      assertThatThrownBy(() -> new AudioFeatures(ctx, 8000, 200, 0, 40))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[audio] rate and hop must be at least 1, a frame have 2 to 8192 samples, and there"
                  + " must be 1 to half as many bands; got 8000 Hz, frame 200, hop 0, 40 bands.");
      var features = new AudioFeatures(ctx, RATE, FRAME, HOP, BANDS);
      assertThatThrownBy(() -> features.power(ctx.zeros(F32, 50)))
          .isInstanceOf(ShapeException.class)
          .hasMessage("[audio] sound must have the axes of examples and samples; got f32[50].");
      assertThatThrownBy(() -> features.mfcc(ctx.zeros(F32, 1, 50), 8))
          .isInstanceOf(ShapeException.class)
          .hasMessage("[audio] there must be 1 to 7 coefficients, as bands; got 8.");
    }
  }
}
