package ristretto.nnet3.cli.options;

import java.util.function.Consumer;
import java.util.function.Predicate;
import ristretto.nnet3.ComputationException;
import ristretto.nnet3.decode.Ivectors;
import ristretto.nnet3.decode.Utterance;
import ristretto.nnet3.decode.UtteranceComputer;
import ristretto.nnet3.decode.UtteranceOutputs;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.MappedTable;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.matrix.Matrix;

/** Options and tables of utterances: reads features and i-vectors, and computes the outputs. */
public final class UtteranceInputs {
  private final Option<String> ivectors;
  private final Option<String> speakers;
  private final Option<String> onlineIvectors;
  private final Option<Integer> period;

  /** Adds the options of i-vectors. */
  public UtteranceInputs(ParseOptions options) {
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
  }

  /**
   * Reads all utterances and computes their outputs.
   *
   * @param wanted true for the keys of utterances to compute
   * @param results receives the outputs of each utterance, in input order
   * @return number of utterances whose frames or i-vectors are missing
   */
  public int run(
      String rspecifier,
      Predicate<String> wanted,
      UtteranceOutputs computer,
      CommandLog log,
      Consumer<UtteranceComputer.Result> results) {
    int failed = 0;
    try (var features = TableReader.open(rspecifier, Holder.MATRIX);
        var more = new Further()) {
      while (features.next()) {
        if (!wanted.test(features.key())) {
          continue;
        }
        Utterance utterance = read(features, more, log);
        if (utterance == null) {
          failed++;
        } else {
          computer.accept(utterance);
          poll(computer, results);
        }
      }
      computer.finish();
      poll(computer, results);
    }
    return failed;
  }

  private static void poll(UtteranceOutputs computer, Consumer<UtteranceComputer.Result> results) {
    for (var next = computer.poll(); next != null; next = computer.poll()) {
      results.accept(next);
    }
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
