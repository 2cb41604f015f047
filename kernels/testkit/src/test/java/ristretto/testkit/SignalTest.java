package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Complex;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;

/** Convolutions, windows and short-time spectra against sums and the numbers of NumPy and SciPy. */
class SignalTest {
  private static final Context CTX = TestDevice.open();

  private static final double[] X = {1, -2, 3.5, .25, -1, 4, 0.5};
  private static final double[] V = {1, 2, -1, .5};

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static double[] random(int count, int seed) {
    return new Random(seed).doubles(count, -1, 1).toArray();
  }

  private static <T> double[] values(Expr<T> e) {
    return CTX.eval(e.cast(F64)).toDoubleArray();
  }

  private static void close(double[] actual, double tolerance, double... expected) {
    assertThat(actual).hasSameSizeAs(expected);
    for (int k = 0; k < actual.length; k++) {
      double error = Math.abs(actual[k] - expected[k]);
      assertThat(error).as("element %d: %s", k, actual[k]).isLessThanOrEqualTo(tolerance);
    }
  }

  @Test
  void convolutionsOfNumPy() {
    Tensor<F64> x = CTX.tensor(X);
    Tensor<F64> v = CTX.tensor(V);
    double[] full = {1, 0, -1.5, 9.75, -5, 3.5, 9.625, -3.5, 1.5, 0.25};
    close(values(convolve(x, v)), 1e-14, full);
    close(values(convolve(v, x)), 1e-14, full);
    close(values(convolve(x, v, "same")), 1e-14, 0, -1.5, 9.75, -5, 3.5, 9.625, -3.5);
    close(values(convolve(v, x, "same")), 1e-14, 0, -1.5, 9.75, -5, 3.5, 9.625, -3.5);
    close(values(convolve(x, v, "valid")), 1e-14, 9.75, -5, 3.5, 9.625);
    close(values(convolve(v, x, "valid")), 1e-14, 9.75, -5, 3.5, 9.625);
    close(
        values(correlate(x, v, "full")), 1e-14, 0.5, -2, 5.75, -6.375, 4.25, 7, -5.5, 6.5, 5, 0.5);
    close(values(correlate(x, v, "same")), 1e-14, -2, 5.75, -6.375, 4.25, 7, -5.5, 6.5);
    close(values(correlate(v, x, "same")), 1e-14, 6.5, -5.5, 7, 4.25, -6.375, 5.75, -2);
    close(values(correlate(x, v)), 1e-14, -6.375, 4.25, 7, -5.5);
    close(values(correlate(v, x)), 1e-14, -5.5, 7, 4.25, -6.375);
  }

  @Test
  void longConvolutionsByTransforms() {
    int n = 1500;
    int m = 700;
    double[] a = random(2 * n, 1);
    double[] v = random(m, 2);
    double[] expected = new double[2 * (n + m - 1)];
    for (int row = 0; row < 2; row++) {
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
          expected[row * (n + m - 1) + i + j] += a[row * n + i] * v[j];
        }
      }
    }
    Expr<F64> y = convolve(CTX.tensor(a, 2, n), CTX.tensor(v));
    close(values(y), 1e-12, expected);
    if (TestDevice.isCpu()) {
      assertThat(CTX.explain(y).toString()).contains("fourier_f64");
      assertThat(CTX.explain(convolve(CTX.tensor(a), CTX.tensor(V))).toString())
          .doesNotContain("fourier");
    }
    Expr<F64> narrow = convolve(CTX.tensor(v), CTX.tensor(a, 2, n), "valid");
    close(
        values(narrow.slice(at(1))),
        1e-12,
        java.util.Arrays.copyOfRange(expected, n + 2 * m - 2, 2 * n + m - 1));
    Tensor<F32> single = CTX.eval(CTX.tensor(a, 2, n).cast(F32));
    close(values(convolve(single, CTX.eval(CTX.tensor(v).cast(F32)))), 1e-4, expected);
  }

  @Test
  void windowsOfSciPy() {
    double h = 0.34549150281252633;
    double k = 0.9045084971874737;
    close(values(hann(F64, 6)), 1e-15, 0, h, k, k, h, 0);
    close(values(hann(F64, 5, true)), 1e-15, 0, h, k, k, h);
    double m = 0.3978521825875243;
    double p = 0.9121478174124759;
    close(values(hamming(F64, 6)), 1e-15, 0.08, m, p, p, m, 0.08);
    close(values(hamming(F64, 5, true)), 1e-15, 0.08, m, p, p, m);
    double b = 0.2007701432625305;
    double c = 0.8492298567374694;
    close(values(blackman(F64, 6)), 1e-15, 0, b, c, c, b, 0);
    close(values(blackman(F64, 5, true)), 1e-15, 0, b, c, c, b);
    close(values(bartlett(F64, 6)), 1e-15, 0, 0.4, 0.8, 0.8, 0.4, 0);
    close(values(bartlett(F64, 5, true)), 1e-15, 0, 0.4, 0.8, 0.8, 0.4);
    double e = 0.0013325139979024198;
    double f = 0.20105486954533092;
    double g = 0.8494161890910448;
    close(values(kaiser(F64, 6, 8.6)), 1e-14, e, f, g, g, f, e);
    close(
        values(kaiser(F64, 5, 14, true)),
        1e-14,
        7.726866835270368e-06,
        0.06815374319396057,
        0.7615093990873935,
        0.7615093990873935,
        0.06815374319396057);
    close(values(kaiser(F64, 3, 0)), 1e-15, 1, 1, 1);
    close(values(kaiser(F32, 3, 100)), 1e-5, 0, 1, 0);
    for (int n = 0; n < 2; n++) {
      double[] ones = n == 0 ? new double[0] : new double[] {1};
      close(values(hann(F64, n)), 0, ones);
      close(values(blackman(F64, n, true)), 0, ones);
      close(values(bartlett(F64, n)), 0, ones);
      close(values(kaiser(F64, n, 5)), 1e-15, ones);
    }
  }

  @Test
  void shortTimeTransformsAndTheirInverses() {
    int n = 12;
    int hop = 5;
    double[] x = random(2 * 61, 3);
    Tensor<F64> sound = CTX.tensor(x, 2, 61);
    Tensor<F64> window = CTX.eval(hamming(F64, n, true));
    double[] w = window.toDoubleArray();
    Complex<F64> s = stft(sound, window, hop);
    assertThat(s.shape().toArray()).containsExactly(2, 10, 7);
    double[] re = values(s.re().slice(at(1)));
    double[] power = values(spectrogram(sound, window, hop).slice(at(1)));
    for (int frame = 0; frame < 10; frame++) {
      for (int k = 0; k <= n / 2; k++) {
        double a = 0;
        double b = 0;
        for (int j = 0; j < n; j++) {
          double v = x[61 + frame * hop + j] * w[j];
          a += v * Math.cos(2 * Math.PI * j * k / n);
          b += v * Math.sin(2 * Math.PI * j * k / n);
        }
        assertThat(re[frame * 7 + k] - a).isBetween(-1e-13, 1e-13);
        assertThat(power[frame * 7 + k] - a * a - b * b).isBetween(-1e-12, 1e-12);
      }
    }
    Expr<F64> back = istft(s, window, hop);
    assertThat(back.shape().toArray()).containsExactly(2, 57);
    close(values(back), 1e-13, values(sound.slice(all(), range(0, 57))));
    Complex<F64> centered = stft(sound, window, hop, true);
    assertThat(centered.shape().toArray()).containsExactly(2, 13, 7);
    close(
        values(istft(centered, window, hop, true)),
        1e-13,
        values(sound.slice(all(), range(0, 60))));
    Complex<F64> wide = stft(sound, window, 17);
    Expr<F64> gaps = istft(wide, window, 17).slice(all(), range(12, 17));
    close(values(gaps), 0, new double[10]);
  }

  @Test
  void oneKernelFeedsTheTransform() {
    Tensor<F32> x = CTX.ones(F32, 3, 400);
    Expr<F32> power = spectrogram(x, hann(F32, 100, true), 40);
    // Frames times window in two parts; transform; powers.
    assertThat(CTX.explain(power).kernelCount()).isIn(TestDevice.kernelCounts(3, 5, 7));
  }

  @Test
  void melBandsAndCoefficients() {
    int n = 16;
    double rate = 8000;
    double[] filters = values(melFilters(F64, rate, n, 4));
    double[] corners = new double[6];
    for (int b = 0; b < 6; b++) {
      double mel = 2595 * Math.log10(1 + rate / 2 / 700) * b / 5;
      corners[b] = 700 * (Math.pow(10, mel / 2595) - 1);
    }
    for (int k = 0; k <= n / 2; k++) {
      for (int b = 0; b < 4; b++) {
        double f = k * rate / n;
        double up = (f - corners[b]) / (corners[b + 1] - corners[b]);
        double down = (corners[b + 2] - f) / (corners[b + 2] - corners[b + 1]);
        double expected = Math.max(0, Math.min(up, down));
        assertThat(filters[4 * k + b] - expected).isBetween(-1e-12, 1e-12);
      }
    }
    Tensor<F64> x = CTX.tensor(random(100, 8));
    Tensor<F64> window = CTX.eval(hann(F64, n, true));
    double[] power = values(spectrogram(x, window, 8));
    double[] mel = values(logMel(x, rate, window, 8, 4));
    double[] first = values(mfcc(x, rate, window, 8, 4, 1));
    for (int frame = 0; frame < 11; frame++) {
      double sum = 0;
      for (int b = 0; b < 4; b++) {
        double energy = 0;
        for (int k = 0; k <= n / 2; k++) {
          energy += power[frame * 9 + k] * filters[4 * k + b];
        }
        assertThat(mel[4 * frame + b] - Math.log(energy)).isBetween(-1e-12, 1e-12);
        sum += Math.log(energy);
      }
      assertThat(first[frame] - sum / 2).isBetween(-1e-12, 1e-12);
    }
    close(values(logMel(CTX.zeros(F64, 16), rate, window, 8, 4)), 1e-12, logs());
  }

  private static double[] logs() {
    double[] all = new double[4];
    java.util.Arrays.fill(all, Math.log(1e-10));
    return all;
  }

  @Test
  void cosineTransformsOfSciPy() {
    Tensor<F64> x = CTX.tensor(X);
    close(
        values(dct(x)),
        1e-13,
        12.5,
        -4.50209622537651,
        -0.024458669761152407,
        -2.785914857757685,
        -2.346010735815048,
        19.16950202751171,
        2.1784479339461065);
    close(values(dct(x, true).slice(range(0, 2))), 1e-14, 2.3622779563076706, -1.2032358284033644);
    close(
        values(idct(x)),
        1e-14,
        0.44604267221449767,
        -0.5291140446603703,
        0.14380250499907202,
        -0.6428571428571427,
        -0.4321479160270843,
        1.0628418263232708,
        0.4514321000077568);
    close(
        values(idct(x.slice(range(0, 6)), true)),
        1e-14,
        1.4539971382799741,
        -1.5659532557456548,
        0.19936273583122044,
        -3.46021642409312,
        3.5371503750526325,
        2.2851491734581257);
    for (int n = 1; n < 20; n += TestDevice.isCpu() ? 1 : 7) {
      double[] v = random(3 * n, n);
      close(values(idct(dct(CTX.tensor(v, 3, n)))), 1e-14, v);
      close(values(dct(idct(CTX.tensor(v, 3, n), true), true)), 1e-14, v);
    }
  }

  @Test
  void analyticSignalsOfSciPy() {
    Tensor<F64> x = CTX.tensor(X);
    close(values(hilbert(x).re()), 1e-14, X);
    close(
        values(hilbert(x).im()),
        1e-14,
        1.3064254196221305,
        -0.6862582336036315,
        -2.1728435030554105,
        3.318888012226175,
        -3.0909183389523256,
        0.09800477427832581,
        1.226701869484736);
    close(
        values(hilbert(x.slice(range(0, 6))).im()),
        1e-14,
        3.464101615137754,
        -1.443375672974064,
        -1.299038105676658,
        2.598076211353315,
        -2.165063509461096,
        -1.1547005383792508);
  }

  @Test
  void gradientsAlongRandomDirections() {
    Tensor<F64> v = CTX.tensor(V);
    Tensor<F64> window = CTX.eval(hann(F64, 8, true));
    gradient(x -> convolve(x, v, "same").pow(3));
    gradient(x -> convolve(v, x.times(x), "valid"));
    gradient(x -> correlate(x, x.slice(range(0, 5)), "full").pow(2));
    gradient(x -> log(spectrogram(x, window, 3).plus(1)));
    if (!TestDevice.isCpu()) {
      return; // their kernels compile for minutes
    }
    gradient(x -> istft(stft(x.times(x), window, 3), window, 3).pow(2));
    gradient(x -> istft(stft(x.times(x), window, 3, true), window, 3, true).pow(2));
    gradient(x -> mfcc(x, 8000, window, 4, 2, 2));
    gradient(x -> idct(dct(x).pow(2)));
    gradient(x -> hilbert(x).abs2());
  }

  private static void gradient(UnaryOperator<Expr<F64>> f) {
    int n = 30;
    Tensor<F64> x = CTX.tensor(random(n, 4));
    Tensor<F64> d = CTX.tensor(random(n, 5));
    Expr<F64> weights = uniform(F64, 3, f.apply(x).shape().toArray());
    UnaryOperator<Expr<F64>> y = at -> sum(f.apply(at).times(weights));
    double h = 1e-5;
    double above = values(y.apply(CTX.eval(x.plus(d.times(h)))))[0];
    double below = values(y.apply(CTX.eval(x.minus(d.times(h)))))[0];
    double expected = (above - below) / (2 * h);
    double actual = values(sum(Ops.gradient(y.apply(x), x).times(d)))[0];
    assertThat(Math.abs(actual - expected) / Math.max(1, Math.abs(expected))).isLessThan(1e-6);
  }

  @Test
  void messages() {
    Tensor<F64> x = CTX.ones(F64, 7);
    refused(
        () -> convolve(x, x, "some"),
        "[convolve] the mode must be full, same or valid; got \"some\".");
    refused(
        () -> correlate(x, CTX.ones(F64)),
        "[correlate] operands must have an axis; got a f64[7], v f64[]; reshape them.");
    refused(
        () -> convolve(x, CTX.ones(F64, 0)),
        "[convolve] there must be at least one point; got n = 0 for axis 0 of f64[0].");
    refused(
        () -> hann(I32, 4),
        "[window] a window must have floating-point elements, 0 or more; got 4 of i32.");
    refused(
        () -> kaiser(F64, 4, 1e3),
        "[kaiser] beta must be from -500 to 500; got 1000.0; 8.6 is" + " usual.");
    refused(
        () -> stft(x, CTX.ones(F64, 8), 4),
        "[stft] x must have at least the elements of the window; got x f64[7], window f64[8]; pad"
            + " x.");
    refused(
        () -> stft(x, x, 0),
        "[stft] the window must be a vector and the hop at least 1; got x f64[7], window f64[7],"
            + " hop 0.");
    refused(
        () -> istft(Complex.of(CTX.ones(F64, 2, 4)), CTX.ones(F64, 8), 4),
        "[istft] the transform must be [..., frames, window / 2 + 1] with at least one frame; got"
            + " complex f64[2,4], window f64[8].");
    refused(
        () -> melFilters(F64, 8000, 16, 4, 0, 5000),
        "[melFilters] there must be at least 2 samples and 1 band, and 0 <= low < high <= rate / 2;"
            + " got rate 8000.0, n 16, 4 bands from 0.0 to 5000.0 Hz in f64.");
    refused(
        () -> mfcc(x, 8000, x, 1, 4, 5),
        "[mfcc] there must be 1 to 4 coefficients, as bands; got 5.");
  }

  private static void refused(Runnable body, String message) {
    assertThatThrownBy(body::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }
}
