package ristretto.nnet3.features;

import java.util.Locale;
import ristretto.nnet3.ComputationException;

/**
 * Bands of the mel scale; named as Kaldi's options.
 *
 * @param bands number of bands; {@code --num-mel-bins}
 * @param low lowest frequency in Hz
 * @param high highest frequency in Hz; if not positive, relative to half the rate
 * @param vtlnLow lower frequency up to which warping is linear
 * @param vtlnHigh higher frequency; if negative, relative to half the rate
 */
public record MelOptions(int bands, double low, double high, double vtlnLow, double vtlnHigh) {
  /** Kaldi's default options. */
  public static final MelOptions DEFAULT = new MelOptions(23, 20, 0, 100, -500);

  private static final double BREAK = 700;
  private static final double SCALE = 1127;

  private static double mel(double hertz) {
    return SCALE * Math.log(1 + hertz / BREAK);
  }

  private static double hertz(double mel) {
    return BREAK * (Math.exp(mel / SCALE) - 1);
  }

  /**
   * Returns the triangular weights of the bands, one row per frequency of the transform below half
   * the rate and one column per band.
   *
   * @param rate samples per second
   * @param length length of the transform
   * @param warp factor of vocal-tract length normalization; 1 for none
   */
  float[] weights(double rate, int length, double warp) {
    double nyquist = rate / 2;
    double top = high > 0 ? high : nyquist + high;
    if (bands < 3 || low < 0 || low >= nyquist || top <= low || top > nyquist) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[features] there must be at least 3 mel bands between frequencies from 0 to half the"
                  + " rate; got %d from %s to %s Hz at %s Hz; correct --num-mel-bins, --low-freq"
                  + " and --high-freq.",
              bands,
              low,
              top,
              rate));
    }
    double vtlnTop = vtlnHigh < 0 ? nyquist + vtlnHigh : vtlnHigh;
    if (warp != 1 && !(warp > 0 && vtlnLow > low && vtlnLow < vtlnTop && vtlnTop < top)) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[features] a warp factor must be positive, and --vtln-low and --vtln-high between"
                  + " --low-freq and --high-freq; got %s, %s and %s between %s and %s Hz; correct"
                  + " them.",
              warp,
              vtlnLow,
              vtlnTop,
              low,
              top));
    }
    var weights = new float[length / 2 * bands];
    double step = (mel(top) - mel(low)) / (bands + 1);
    for (int b = 0; b < bands; b++) {
      double left = mel(low) + b * step;
      double center = mel(low) + (b + 1) * step;
      double right = mel(low) + (b + 2) * step;
      if (warp != 1) {
        left = mel(warped(hertz(left), warp, top, vtlnTop));
        center = mel(warped(hertz(center), warp, top, vtlnTop));
        right = mel(warped(hertz(right), warp, top, vtlnTop));
      }
      boolean any = false;
      for (int k = 0; k < length / 2; k++) {
        double at = mel(rate / length * k);
        if (at > left && at < right) {
          double weight =
              at <= center ? (at - left) / (center - left) : (right - at) / (right - center);
          weights[k * bands + b] = (float) weight;
          any = true;
        }
      }
      if (!any) {
        throw new ComputationException(
            String.format(
                Locale.ROOT,
                "[features] each mel band must have a frequency of the transform; got none in band"
                    + " %d of %d; set a smaller --num-mel-bins.",
                b,
                bands));
      }
    }
    return weights;
  }

  /** Piecewise linear: both ends stay, and between them frequencies are divided by the factor. */
  private double warped(double hertz, double warp, double top, double vtlnTop) {
    if (hertz < low || hertz > top) {
      return hertz;
    }
    double lower = vtlnLow * Math.max(1, warp);
    double higher = vtlnTop * Math.min(1, warp);
    if (hertz < lower) {
      return low + (lower / warp - low) / (lower - low) * (hertz - low);
    }
    if (hertz < higher) {
      return hertz / warp;
    }
    return top + (top - higher / warp) / (top - higher) * (hertz - top);
  }
}
