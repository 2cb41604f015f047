package ristretto.nnet3.cli.options;

import java.util.List;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.decode.Ivectors;
import ristretto.nnet3.decode.Utterance;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.MappedTable;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.io.TableWriter;
import ristretto.nnet3.matrix.Matrix;

/**
 * Options and tables of utterances: reads features and i-vectors, and writes the outputs of a
 * network.
 */
public final class UtteranceTables {
  private final Option<String> ivectors;
  private final Option<String> speakers;
  private final Option<String> onlineIvectors;
  private final Option<Integer> period;
  private final Option<Boolean> exp;
  private final Option<Boolean> usePriors;
  private final Option<Boolean> onlyFinite;

  public UtteranceTables(ParseOptions options) {
    onlyFinite = options.onlyFinite();
    ivectors =
        options.string(
            "ivectors",
            "",
            "Rspecifier of i-vectors, one vector per utterance, or per speaker with --utt2spk");
    speakers = options.string("utt2spk", "", "Rspecifier of the speaker of each utterance");
    onlineIvectors =
        options.string(
            "online-ivectors", "", "Rspecifier of i-vectors estimated online, as matrices");
    period =
        options.integer(
            "online-ivector-period", 0, "Number of frames between rows of --online-ivectors");
    exp = options.bool("apply-exp", false, "Write the exponential of the output");
    usePriors =
        options.bool(
            "use-priors", false, "Subtract the logarithms of the priors; the model must be a .mdl");
  }

  public EvaluationModel model(String rxfilename, CommandLog log) {
    return EvaluationModel.load(rxfilename, usePriors.get(), onlyFinite.get(), log);
  }

  /**
   * Subtracts log priors from an output, scales it and takes its exponential, in place, as options
   * say.
   */
  private void finish(Matrix output, float[] priors, float scale) {
    float[] data = output.data();
    var logs = new float[priors.length];
    for (int k = 0; k < logs.length; k++) {
      logs[k] = (float) Math.log(priors[k]);
    }
    for (int k = 0; k < data.length; k++) {
      float value = logs.length == 0 ? data[k] : data[k] - logs[k % logs.length];
      value *= scale;
      data[k] = exp.get() ? (float) Math.exp(value) : value;
    }
  }

  /** Number of utterances whose outputs were written. */
  private int done;

  private int failed;
  private long frames;

  /** Reads all utterances, computes and writes their outputs, and returns the exit code. */
  public int run(
      List<String> arguments,
      EvaluationModel model,
      UtteranceComputer computer,
      float scale,
      CommandLog log) {
    long start = System.nanoTime();
    try (var features = TableReader.open(arguments.get(1), Holder.MATRIX);
        var writer = TableWriter.open(arguments.get(2), Holder.MATRIX);
        var more = new Further()) {
      while (features.next()) {
        Utterance utterance = read(features, more, log);
        if (utterance == null) {
          failed++;
        } else {
          computer.accept(utterance);
          write(computer, model, scale, writer);
        }
      }
      computer.finish();
      write(computer, model, scale, writer);
      if (done > 0) {
        writer.commit();
      }
    }
    tell(done, failed, frames, start, log);
    return done > 0 ? 0 : 1;
  }

  /**
   * Logs numbers of utterances and the real-time factor since {@code start}, a time of {@link
   * System#nanoTime}.
   */
  public static void tell(int done, int failed, long frames, long start, CommandLog log) {
    double elapsed = (System.nanoTime() - start) / 1e9;
    log.info(
        "Time taken %ss: real-time factor assuming 100 frames/sec is %s",
        FloatText.of(elapsed, 6), FloatText.of(elapsed * 100 / frames, 6));
    log.info("Done %d utterances, failed for %d", done, failed);
  }

  private void write(
      UtteranceComputer computer, EvaluationModel model, float scale, TableWriter<Matrix> writer) {
    for (var next = computer.poll(); next != null; next = computer.poll()) {
      finish(next.output(), model.priors(), scale);
      writer.write(next.utterance().key(), next.output());
      frames += next.utterance().features().rows();
      done++;
    }
  }

  /** Tables of i-vectors; each is null if not given. */
  private final class Further implements AutoCloseable {
    final MappedTable<float[]> fixed =
        ivectors.get().isEmpty()
            ? null
            : MappedTable.open(ivectors.get(), Holder.VECTOR, speakers.get());
    final RandomAccessTable<Matrix> online =
        onlineIvectors.get().isEmpty()
            ? null
            : RandomAccessTable.open(onlineIvectors.get(), Holder.MATRIX);

    Further() {
      if (fixed != null && online != null) {
        throw new ComputationException(
            "[compute] ivectors must be of one kind; got --ivectors and --online-ivectors; leave"
                + " out one.");
      }
    }

    @Override
    public void close() {
      if (fixed != null) {
        fixed.close();
      }
      if (online != null) {
        online.close();
      }
    }
  }

  /**
   * Returns the current utterance of the features, or null, with a warning, if its frames or
   * i-vectors are missing.
   */
  private Utterance read(TableReader<Matrix> features, Further more, CommandLog log) {
    String key = features.key();
    Matrix rows = features.value();
    if (rows.rows() == 0) {
      log.warning("Zero-length utterance: %s", key);
      return null;
    }
    if (more.fixed != null && !more.fixed.has(key)) {
      log.warning("No iVector available for utterance %s", key);
      return null;
    }
    if (more.online != null && !more.online.has(key)) {
      log.warning("No online iVector available for utterance %s", key);
      return null;
    }
    Ivectors found =
        more.fixed != null
            ? new Ivectors.Fixed(more.fixed.get(key))
            : more.online != null
                ? new Ivectors.Online(more.online.get(key), period.get())
                : new Ivectors.None();
    return new Utterance(key, rows, found);
  }
}
