package ristretto.nnet3.cli.tool;

import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.ParseOptions;
import ristretto.nnet3.egs.ChunkInputs;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.matrix.GeneralMatrix;
import ristretto.nnet3.matrix.Matrix;

/** Options that name i-vectors, one matrix per utterance, and their use. */
public final class IvectorTable {
  private final Option<String> rspecifier;
  private final Option<Integer> period;
  private final Option<Integer> tolerance;

  public IvectorTable(ParseOptions options) {
    rspecifier =
        options.string("online-ivectors", "", "Rspecifier of i-vectors, one matrix per utterance");
    options.alias("ivectors", rspecifier);
    period =
        options.integer(
            "online-ivector-period", 1, "Number of feature frames per row of i-vectors");
    tolerance =
        options.integer(
            "length-tolerance", 100, "Largest difference in frames between features and i-vectors");
  }

  /** Opens the table; null if none was named. */
  public RandomAccessTable<GeneralMatrix> open() {
    return rspecifier.get().isEmpty()
        ? null
        : RandomAccessTable.open(rspecifier.get(), Holder.GENERAL_MATRIX);
  }

  /** Returns the i-vectors of an utterance; null, with a warning, if they do not fit. */
  public ChunkInputs.Ivectors of(
      RandomAccessTable<GeneralMatrix> given, String key, int frames, CommandLog log) {
    if (!given.has(key)) {
      log.warning("No iVectors for utterance %s", key);
      return null;
    }
    Matrix found = given.get(key).toMatrix();
    if (found.rows() == 0
        || Math.abs(frames - (long) found.rows() * period.get()) > tolerance.get()) {
      log.warning(
          "Length difference between feats %d and iVectors %d exceeds tolerance %d",
          frames, found.rows(), tolerance.get());
      return null;
    }
    return new ChunkInputs.Ivectors(found, period.get());
  }
}
