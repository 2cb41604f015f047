package ristretto.nnet3.features;

import java.util.List;
import java.util.Locale;
import ristretto.expr.file.Excerpt;
import ristretto.nnet3.ComputationException;

/**
 * Options for cutting a wave into frames; named as Kaldi's.
 *
 * @param rate samples per second; {@code --sample-frequency}
 * @param length milliseconds of a frame
 * @param shift milliseconds from one frame to the next
 * @param dither standard deviation of the noise that is added to each sample of a frame
 * @param preemphasis factor of the sample before, which is subtracted
 * @param removeOffset true to subtract the mean of each frame
 * @param window {@code povey}, {@code hamming}, {@code hanning}, {@code sine}, {@code rectangular}
 *     or {@code blackman}
 * @param blackman constant of {@code blackman}
 * @param roundToPowerOfTwo true to pad frames with zeros to a power of two
 * @param snipEdges true for only those frames that are wholly in the wave; false for one frame per
 *     shift, with the wave reflected at its ends
 */
public record FrameOptions(
    double rate,
    double length,
    double shift,
    double dither,
    double preemphasis,
    boolean removeOffset,
    String window,
    double blackman,
    boolean roundToPowerOfTwo,
    boolean snipEdges) {
  private static final List<String> WINDOWS =
      List.of("povey", "hamming", "hanning", "sine", "rectangular", "blackman");
  private static final double MILLISECONDS = 0.001;
  private static final int MOST_SAMPLES = 1 << 16;

  /** Kaldi's default options. */
  public static final FrameOptions DEFAULT =
      new FrameOptions(16000, 25, 10, 1, 0.97, true, "povey", 0.42, true, true);

  /** Checks the options. */
  public FrameOptions {
    int samples = (int) (rate * MILLISECONDS * length);
    boolean valid =
        samples >= 2
            && samples <= MOST_SAMPLES
            && rate * MILLISECONDS * shift >= 1
            && dither >= 0
            && preemphasis >= 0
            && preemphasis <= 1;
    if (!valid) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[features] frames must have 2 to %d samples and be at least one apart, --dither must"
                  + " be at least 0 and --preemphasis-coefficient from 0 to 1; got %s ms every %s"
                  + " ms at %s Hz, %s and %s; correct them.",
              MOST_SAMPLES,
              length,
              shift,
              rate,
              dither,
              preemphasis));
    }
    if (!WINDOWS.contains(window)) {
      throw new ComputationException(
          "[features] --window-type must be one of %s; got \"%s\"; correct it."
              .formatted(String.join(", ", WINDOWS), Excerpt.of(window)));
    }
  }

  /** Returns the options with another number of samples per second. */
  public FrameOptions atRate(double other) {
    return with(other, dither);
  }

  /** Returns the options with another standard deviation of the noise. */
  public FrameOptions withDither(double other) {
    return with(rate, other);
  }

  private FrameOptions with(double otherRate, double otherDither) {
    return new FrameOptions(
        otherRate,
        length,
        shift,
        otherDither,
        preemphasis,
        removeOffset,
        window,
        blackman,
        roundToPowerOfTwo,
        snipEdges);
  }

  /** Samples of a frame. */
  int samples() {
    return (int) ((float) rate * MILLISECONDS * length);
  }

  /** Samples from one frame to the next. */
  int step() {
    return (int) ((float) rate * MILLISECONDS * shift);
  }

  /** Samples of a padded frame. */
  int padded() {
    int samples = samples();
    int highest = Integer.highestOneBit(samples);
    return !roundToPowerOfTwo || highest == samples ? samples : 2 * highest;
  }

  /** Position of the first sample of a frame, which may be negative. */
  long first(long frame) {
    return snipEdges ? frame * step() : frame * step() + step() / 2 - samples() / 2;
  }

  /** Number of frames that do not need more samples than there are. */
  long frames(long all) {
    if (snipEdges) {
      return all < samples() ? 0 : 1 + (all - samples()) / step();
    }
    long frames = (all + step() / 2) / step();
    while (frames > 0 && first(frames - 1) + samples() > all) {
      frames--;
    }
    return frames;
  }

  /** Number of frames of a whole wave. */
  long framesOfAll(long all) {
    return snipEdges ? frames(all) : (all + step() / 2) / step();
  }

  /** Factor of each sample of a frame. */
  float[] windowFunction() {
    var factors = new float[samples()];
    double a = 2 * Math.PI / (factors.length - 1);
    for (int i = 0; i < factors.length; i++) {
      factors[i] =
          (float)
              switch (window) {
                case "hanning" -> 0.5 - 0.5 * Math.cos(a * i);
                case "sine" -> Math.sin(0.5 * a * i);
                case "hamming" -> 0.54 - 0.46 * Math.cos(a * i);
                case "povey" -> Math.pow(0.5 - 0.5 * Math.cos(a * i), 0.85);
                case "blackman" ->
                    blackman - 0.5 * Math.cos(a * i) + (0.5 - blackman) * Math.cos(2 * a * i);
                default -> 1;
              };
    }
    return factors;
  }
}
