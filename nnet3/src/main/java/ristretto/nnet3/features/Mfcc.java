package ristretto.nnet3.features;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.log;
import static ristretto.expr.Ops.max;
import static ristretto.expr.Ops.mean;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import ristretto.expr.Complex;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Fft;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.matrix.Matrix;

/**
 * Mel-frequency cepstral coefficients of a wave, whole or as it arrives; the same as those of
 * Kaldi's {@code compute-mfcc-feats}:
 *
 * <pre>{@code
 * var mfcc = new Mfcc(context, MfccOptions.DEFAULT, 1);
 * while (more) {
 *   Matrix frames = mfcc.accept(samples);   // any number of samples; perhaps no frames
 * }
 * Matrix last = mfcc.finish();
 * }</pre>
 *
 * <p>Frames are computed in blocks by one recorded program. One object serves successive waves; it
 * is not thread-safe.
 *
 * <p>Source: Kaldi, {@code feat/feature-mfcc.cc} and {@code feat/feature-window.cc}.
 */
public final class Mfcc {
  private static final int BLOCK = 64;

  /** Least energy in logarithms: the difference of 1 and the next float. */
  private static final float FLOOR = 0x1p-23f;

  private static final Matrix NONE = new Matrix(0, 0);

  private final Context context;
  private final MfccOptions options;
  private final Tensor<F32> frames;
  private final Tensor<F32> cepstra;
  private final Tensor<F32> energies;
  private final Program program;
  private SplittableRandom random = new SplittableRandom(0);

  /** Samples from {@link #forgotten} on. */
  private float[] samples = new float[0];

  private long forgotten;
  private long received;

  /** Number of frames so far. */
  private long done;

  /**
   * Creates a computer of coefficients.
   *
   * @param warp factor of vocal-tract length normalization; 1 for none
   */
  public Mfcc(Context context, MfccOptions options, double warp) {
    this.context = context;
    this.options = options;
    FrameOptions cut = options.frames();
    int length = cut.samples();
    int padded = cut.padded();
    int half = padded / 2;
    int bands = options.mel().bands();
    frames = context.zeros(F32, BLOCK, length);
    cepstra = context.zeros(F32, BLOCK, options.cepstra());
    energies = context.zeros(F32, BLOCK);
    Tensor<F32> window = context.tensor(cut.windowFunction(), length);
    Tensor<F32> mel = context.tensor(options.mel().weights(cut.rate(), padded, warp), half, bands);
    Tensor<F32> cosines = context.tensor(options.cosines(), bands, options.cepstra());
    program =
        context.record(() -> {
          Expr<F32> x = frames;
          if (cut.removeOffset()) {
            x = x.minus(mean(x, -1).keepDims());
          }
          Expr<F32> raw = logEnergy(x);
          Expr<F32> before =
              concat(1, x.slice(all(), range(0, 1)), x.slice(all(), range(0, length - 1)));
          Expr<F32> y = x.minus(before.times(cut.preemphasis())).times(window);
          Complex<F32> spectrum = Fft.rfft(y, padded);
          Expr<F32> power =
              square(spectrum.re()).plus(square(spectrum.im())).slice(all(), range(0, half));
          Expr<F32> logs = log(max(dot(power, mel), FLOOR));
          context.assign(cepstra, dot(logs, cosines));
          context.assign(energies, options.rawEnergy() ? raw : logEnergy(y));
        });
  }

  private static Expr<F32> logEnergy(Expr<F32> x) {
    return log(max(sum(square(x), -1), FLOOR));
  }

  /** Forgets all samples; a new wave begins, with the same noise as each wave. */
  public void reset() {
    samples = new float[0];
    forgotten = 0;
    received = 0;
    done = 0;
    random = new SplittableRandom(0);
  }

  /** Returns the coefficients of a whole wave, one row per frame; 0 x 0 if it is too short. */
  public Matrix compute(float[] wave) {
    reset();
    keep(wave);
    return finish();
  }

  /**
   * Accepts further samples.
   *
   * @param more samples from -32768 to 32767
   * @return coefficients of the frames that they complete, one row per frame; 0 x 0 if there are
   *     none
   */
  public Matrix accept(float[] more) {
    keep(more);
    return compute(options.frames().frames(received));
  }

  /**
   * Marks the end of the wave; returns the coefficients of the frames that are left, 0 x 0 if there
   * are none.
   */
  public Matrix finish() {
    Matrix last = compute(options.frames().framesOfAll(received));
    reset();
    return last;
  }

  private void keep(float[] more) {
    long needed = options.frames().snipEdges() || done > 0 ? options.frames().first(done) : 0;
    int drop = Math.clamp(needed - forgotten, 0, samples.length);
    float[] kept = Arrays.copyOfRange(samples, drop, samples.length + more.length);
    System.arraycopy(more, 0, kept, samples.length - drop, more.length);
    samples = kept;
    forgotten += drop;
    received += more.length;
  }

  private Matrix compute(long end) {
    int dim = options.cepstra();
    int count = Math.toIntExact(Math.max(0, end - done));
    if (count == 0) {
      return NONE;
    }
    var result = new Matrix(count, dim);
    int length = options.frames().samples();
    var block = new float[BLOCK * length];
    for (int from = 0; from < count; from += BLOCK) {
      int rows = Math.min(BLOCK, count - from);
      for (int row = 0; row < rows; row++) {
        frame(block, row * length, options.frames().first(done + from + row));
      }
      context.copy(MemorySegment.ofArray(block), frames);
      program.run();
      float[] values = cepstra.toFloatArray();
      System.arraycopy(values, 0, result.data(), from * dim, rows * dim);
      place(result, from, rows);
    }
    done += count;
    return result;
  }

  /** Copies a frame, reflected at the ends of the wave, and adds noise. */
  private void frame(float[] block, int at, long first) {
    int length = options.frames().samples();
    for (int k = 0; k < length; k++) {
      long sample = first + k;
      while (sample < 0 || sample >= received) {
        sample = sample < 0 ? -sample - 1 : 2 * received - 1 - sample;
      }
      block[at + k] = samples[(int) (sample - forgotten)];
    }
    double dither = options.frames().dither();
    for (int k = 0; dither != 0 && k < length; k++) {
      block[at + k] += (float) (dither * random.nextGaussian());
    }
  }

  /** Places the energies. */
  private void place(Matrix result, int from, int rows) {
    int dim = options.cepstra();
    float[] data = result.data();
    float[] logs = options.useEnergy() ? energies.toFloatArray() : null;
    float least =
        options.energyFloor() > 0
            ? (float) Math.log(options.energyFloor())
            : Float.NEGATIVE_INFINITY;
    for (int row = 0; row < rows; row++) {
      int at = (from + row) * dim;
      if (logs != null) {
        data[at] = Math.max(logs[row], least);
      }
      if (options.htkCompatible()) {
        float first = data[at];
        System.arraycopy(data, at + 1, data, at, dim - 1);
        data[at + dim - 1] = logs != null ? first : (float) (first * Math.sqrt(2));
      }
    }
  }

  /**
   * Refuses a wave of another rate.
   *
   * @throws ComputationException if the rate is not that of the options
   */
  public void requireRate(double rate) {
    if (rate != options.frames().rate()) {
      throw new ComputationException(
          String.format(
              Locale.ROOT,
              "[features] the wave must have the rate of the options; got %s Hz and"
                  + " --sample-frequency=%s; set the option, or resample the wave.",
              rate,
              options.frames().rate()));
    }
  }
}
