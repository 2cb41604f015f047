package ristretto.nnet3.cli.speech;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.features.FrameOptions;
import ristretto.nnet3.features.MelOptions;
import ristretto.nnet3.features.Mfcc;
import ristretto.nnet3.features.MfccOptions;
import ristretto.nnet3.features.Wave;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.MappedTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.Matrix;

/** Computes mel-frequency cepstral coefficients. */
public final class ComputeMfccFeats extends Tool {
  private static final MfccOptions NORMAL = MfccOptions.DEFAULT;

  private final Option<Float> rate =
      real("sample-frequency", NORMAL.frames().rate(), "Samples per second of the waves");
  private final Option<Float> length =
      real("frame-length", NORMAL.frames().length(), "Milliseconds of a frame");
  private final Option<Float> shift =
      real("frame-shift", NORMAL.frames().shift(), "Milliseconds from one frame to the next");
  private final Option<Float> preemphasis =
      real(
          "preemphasis-coefficient",
          NORMAL.frames().preemphasis(),
          "Factor of the sample before, which is subtracted");
  private final Option<Boolean> removeOffset =
      options.bool("remove-dc-offset", true, "Subtract the mean of each frame");
  private final Option<Float> dither =
      real("dither", NORMAL.frames().dither(), "Standard deviation of added noise; 0 for none");
  private final Option<String> window =
      options.string(
          "window-type",
          NORMAL.frames().window(),
          "povey|hamming|hanning|sine|rectangular|blackman");
  private final Option<Float> blackman =
      real("blackman-coeff", NORMAL.frames().blackman(), "Constant of --window-type=blackman");
  private final Option<Boolean> powerOfTwo =
      options.bool("round-to-power-of-two", true, "Pad frames with zeros to a power of two");
  private final Option<Boolean> snipEdges =
      options.bool(
          "snip-edges",
          true,
          "Only frames that are wholly in the wave; else one frame per shift, with the wave"
              + " reflected at its ends");
  private final Option<Integer> bands =
      options.integer("num-mel-bins", NORMAL.mel().bands(), "Number of mel bands");
  private final Option<Float> low =
      real("low-freq", NORMAL.mel().low(), "Lowest frequency of the mel bands");
  private final Option<Float> high =
      real(
          "high-freq",
          NORMAL.mel().high(),
          "Highest frequency of the mel bands; if not positive, relative to half the rate");
  private final Option<Float> vtlnLow =
      real("vtln-low", NORMAL.mel().vtlnLow(), "Lower corner of the warping");
  private final Option<Float> vtlnHigh =
      real(
          "vtln-high",
          NORMAL.mel().vtlnHigh(),
          "Higher corner of the warping; if negative, relative to half the rate");
  private final Option<Integer> cepstra =
      options.integer("num-ceps", NORMAL.cepstra(), "Number of coefficients");
  private final Option<Boolean> useEnergy =
      options.bool("use-energy", true, "Energy in place of the first coefficient");
  private final Option<Float> energyFloor =
      real("energy-floor", NORMAL.energyFloor(), "Least energy; 0 for none");
  private final Option<Boolean> rawEnergy =
      options.bool("raw-energy", true, "Energy before preemphasis and windowing");
  private final Option<Float> lifter =
      real("cepstral-lifter", NORMAL.lifter(), "Constant that scales the coefficients");
  private final Option<Boolean> htk =
      options.bool("htk-compat", false, "Energy, or the first coefficient, in the last place");
  private final Option<Boolean> subtractMean =
      options.bool("subtract-mean", false, "Subtract the mean of each file's coefficients");
  private final Option<Float> warp =
      real("vtln-warp", 1, "Factor of the warping, if --vtln-map is not given");
  private final Option<String> warps =
      options.string(
          "vtln-map", "", "Rspecifier of factors of the warping, per utterance or per speaker");
  private final Option<String> speakers =
      options.string("utt2spk", "", "Rspecifier of the speaker of each utterance");
  private final Option<Integer> channel =
      options.integer("channel", -1, "Channel, from 0; -1 for the only one");
  private final Option<Float> least =
      real("min-duration", 0, "Seconds; shorter waves are left out");
  private final Map<Float, Mfcc> computers = new HashMap<>();

  public ComputeMfccFeats() {
    super(
        "compute-mfcc-feats",
        """
        Computes mel-frequency cepstral coefficients of waves, one matrix per utterance.

        Usage:  compute-mfcc-feats [options] <wav-rspecifier> <feats-wspecifier>
        e.g.:
         compute-mfcc-feats --config=mfcc.conf scp:wav.scp ark:feats.ark
        """,
        2,
        2);
  }

  private Option<Float> real(String name, double normal, String text) {
    return options.real(name, (float) normal, text);
  }

  private MfccOptions all() {
    return new MfccOptions(
        new FrameOptions(
            rate.get(),
            length.get(),
            shift.get(),
            dither.get(),
            preemphasis.get(),
            removeOffset.get(),
            window.get(),
            blackman.get(),
            powerOfTwo.get(),
            snipEdges.get()),
        new MelOptions(bands.get(), low.get(), high.get(), vtlnLow.get(), vtlnHigh.get()),
        cepstra.get(),
        useEnergy.get(),
        energyFloor.get(),
        rawEnergy.get(),
        lifter.get(),
        htk.get());
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    MfccOptions mfcc = all();
    int done = 0;
    int all = 0;
    try (Context context = Context.open();
        var waves = TableReader.open(arguments.get(0), Wave.HOLDER);
        var factors =
            warps.get().isEmpty()
                ? null
                : MappedTable.open(warps.get(), Holder.FLOAT, speakers.get());
        var writer = TableWriter.open(arguments.get(1), Holder.MATRIX)) {
      while (waves.next()) {
        all++;
        String key = waves.key();
        float[] samples = samples(key, waves.value(), log);
        if (samples == null) {
          continue;
        }
        if (factors != null && !factors.has(key)) {
          log.warning("No vtln-map entry for utterance-id (or speaker-id) %s", key);
          continue;
        }
        float factor = factors == null ? warp.get() : factors.get(key);
        Mfcc computer =
            computers.computeIfAbsent(factor, warped -> new Mfcc(context, mfcc, warped));
        try {
          computer.requireRate(waves.value().rate());
        } catch (ComputationException e) {
          log.warning("Failed to compute features for utterance %s: %s", key, e.getMessage());
          continue;
        }
        Matrix features = computer.compute(samples);
        if (features.rows() == 0) {
          log.warning("No features for utterance %s, which is shorter than a frame", key);
          continue;
        }
        if (subtractMean.get()) {
          subtractMean(features);
        }
        writer.write(key, features);
        done++;
      }
      if (done > 0) {
        writer.commit();
      }
    }
    log.info("Done %d out of %d utterances.", done, all);
    return done > 0 ? 0 : 1;
  }

  /** Returns the samples of the chosen channel, or null, with a warning, if there are none. */
  private float[] samples(String key, Wave wave, CommandLog log) {
    if (wave.samples() < (double) least.get() * wave.rate()) {
      log.warning(
          "File: %s is too short (%s sec): producing no output.",
          key, (double) wave.samples() / wave.rate());
      return null;
    }
    int wanted = channel.get();
    int channels = wave.channels().length;
    if (wanted >= channels) {
      log.warning(
          "File with id %s has %d channels but you specified channel %d, producing no output.",
          key, channels, wanted);
      return null;
    }
    if (wanted < 0 && channels > 1) {
      log.warning(
          "Channel not specified but you have data with %d channels; defaulting to zero", channels);
    }
    return wave.channels()[Math.max(0, wanted)];
  }

  private static void subtractMean(Matrix features) {
    for (int c = 0; c < features.cols(); c++) {
      double sum = 0;
      for (int row = 0; row < features.rows(); row++) {
        sum += features.get(row, c);
      }
      float mean = (float) (sum / features.rows());
      for (int row = 0; row < features.rows(); row++) {
        features.set(row, c, features.get(row, c) - mean);
      }
    }
  }
}
