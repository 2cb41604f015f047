package ristretto.symbolic.data.audio;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.from;
import static ristretto.expr.Ops.log;
import static ristretto.expr.Ops.max;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.windows;

import java.util.Locale;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.kernels.ShapeException;

/**
 * Spectral features of sound as expressions, which have gradients and run on any device. Sound is
 * {@code x[n, samples]}; a frame begins every {@link #hop} samples, and none goes beyond the last
 * sample, so there are {@code 1 + (samples - frame) / hop} frames.
 *
 * <pre>{@code
 * var features = new AudioFeatures(ctx, 8000, 200, 80, 40);
 * Variable<F32> mel = apply("mel", F32, v -> features.logMel(v.get(audio)), audio);
 * }</pre>
 *
 * <p>Each frame is multiplied by a periodic Hann window. Its discrete Fourier transform is a
 * product with a matrix of cosines and sines.
 */
public final class AudioFeatures {
  /** Smallest power in logarithms. */
  private static final float FLOOR = 1e-10f;

  private static final int MOST_FRAME = 1 << 13;

  private final int frame;
  private final int hop;
  private final int bins;
  private final int bands;

  /** Windowed cosines and then sines {@code [frame, 2 * bins]}. */
  private final Tensor<F32> waves;

  /** Triangles {@code [bins, bands]}. */
  private final Tensor<F32> mel;

  /** Cosines {@code [bands, bands]}. */
  private final Tensor<F32> cosines;

  /**
   * Creates features with their matrices in the memory of a context.
   *
   * @param rate samples per second
   * @param frame samples of a frame, for example 0.025 times the rate
   * @param hop samples from one frame to the next, for example 0.01 times the rate
   * @param bands number of mel bands, between 0 Hz and half the rate
   */
  public AudioFeatures(Context ctx, int rate, int frame, int hop, int bands) {
    if (rate < 1 || frame < 2 || frame > MOST_FRAME || hop < 1 || bands < 1 || bands > frame / 2) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[audio] rate and hop must be at least 1, a frame have 2 to %d samples, and there"
                  + " must be 1 to half as many bands; got %d Hz, frame %d, hop %d, %d bands.",
              MOST_FRAME,
              rate,
              frame,
              hop,
              bands));
    }
    this.frame = frame;
    this.hop = hop;
    this.bins = frame / 2 + 1;
    this.bands = bands;
    this.waves = ctx.tensor(waves(), frame, 2L * bins);
    this.mel = ctx.tensor(triangles(rate), bins, bands);
    this.cosines = ctx.tensor(cosines(), bands, bands);
  }

  private float[] waves() {
    float[] all = new float[2 * bins * frame];
    for (int k = 0; k < bins; k++) {
      for (int t = 0; t < frame; t++) {
        double window = 0.5 - 0.5 * Math.cos(2 * Math.PI * t / frame);
        // The product is reduced as an integer, which keeps the angle exact.
        double angle = 2 * Math.PI * ((long) k * t % frame) / frame;
        all[t * 2 * bins + k] = (float) (window * Math.cos(angle));
        all[t * 2 * bins + bins + k] = (float) (window * Math.sin(angle));
      }
    }
    return all;
  }

  private static double mel(double hertz) {
    return 2595 * Math.log10(1 + hertz / 700);
  }

  private static double hertz(double mel) {
    return 700 * (Math.pow(10, mel / 2595) - 1);
  }

  /** Returns triangles of height 1 with equally spaced corners on the mel scale. */
  private float[] triangles(int rate) {
    double[] corners = new double[bands + 2];
    for (int b = 0; b < corners.length; b++) {
      corners[b] = hertz(mel(rate / 2.0) * b / (bands + 1));
    }
    float[] all = new float[bins * bands];
    for (int k = 0; k < bins; k++) {
      double f = (double) k * rate / frame;
      for (int b = 0; b < bands; b++) {
        double up = (f - corners[b]) / (corners[b + 1] - corners[b]);
        double down = (corners[b + 2] - f) / (corners[b + 2] - corners[b + 1]);
        all[k * bands + b] = (float) Math.max(0, Math.min(up, down));
      }
    }
    return all;
  }

  /** Returns the orthonormal cosine transform (DCT-II), a column for each coefficient. */
  private float[] cosines() {
    float[] all = new float[bands * bands];
    for (int b = 0; b < bands; b++) {
      for (int c = 0; c < bands; c++) {
        double scale = Math.sqrt((c == 0 ? 1.0 : 2.0) / bands);
        all[b * bands + c] = (float) (scale * Math.cos(Math.PI * c * (b + 0.5) / bands));
      }
    }
    return all;
  }

  /** Returns the samples of a frame. */
  public int frame() {
    return frame;
  }

  /** Returns the samples from one frame to the next. */
  public int hop() {
    return hop;
  }

  /**
   * Returns the power spectrum of each frame: {@code x[n, samples] -> [n, frames, frame / 2 + 1]},
   * the squared magnitude of the discrete Fourier transform at {@code k * rate / frame} Hz.
   *
   * @throws ShapeException unless x has rank 2 and at least the samples of a frame
   */
  public Expr<F32> power(Expr<F32> x) {
    if (x.shape().rank() != 2) {
      throw new ShapeException(
          "[audio] sound must have the axes of examples and samples; got f32" + x.shape() + ".");
    }
    Expr<F32> frames = windows(x, new long[] {frame}, new long[] {hop}, new long[] {1});
    Expr<F32> squares = square(dot(frames, waves));
    return squares
        .slice(all(), all(), range(0, bins))
        .plus(squares.slice(all(), all(), from(bins)));
  }

  /**
   * Returns the natural logarithms of mel bands of the power spectrum, at least log(1e-10): {@code
   * x[n, samples] -> [n, frames, bands]}. Bands are triangles of height 1 on the mel scale 2595
   * log10(1 + f / 700).
   */
  public Expr<F32> logMel(Expr<F32> x) {
    return log(max(dot(power(x), mel), FLOOR));
  }

  /**
   * Returns mel-frequency cepstral coefficients (Davis and Mermelstein 1980), the orthonormal
   * cosine transform of {@link #logMel}: {@code x[n, samples] -> [n, frames, count]}.
   *
   * @param count number of coefficients, from the 0th on; at most the number of bands
   */
  public Expr<F32> mfcc(Expr<F32> x, int count) {
    if (count < 1 || count > bands) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[audio] there must be 1 to %d coefficients, as bands; got %d.",
              bands,
              count));
    }
    return dot(logMel(x), cosines.slice(all(), range(0, count)));
  }
}
