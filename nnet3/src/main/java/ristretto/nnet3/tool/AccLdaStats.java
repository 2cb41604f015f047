package ristretto.nnet3.tool;

import java.util.List;
import java.util.Locale;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Nnet;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.train.LdaRows;
import ristretto.nnet3.train.LdaStats;

/** Accumulates statistics of a network's outputs by class, for a feature transform. */
final class AccLdaStats implements Tool {
  private final Options options =
      new Options(
          "nnet3-acc-lda-stats",
          """
          Accumulates statistics as acc-lda does, of examples: what the network computes of them at
          the output named output are the rows, and targets their classes.
          nnet3-get-feature-transform makes a transform of them.

          Usage:  nnet3-acc-lda-stats [options] <raw-nnet-in> <training-examples-in> <lda-stats-out>
          e.g.:
          nnet3-acc-lda-stats 0.raw ark:1.egs 1.acc
          """);
  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary file");
  private final Option<Float> prune =
      options.real(
          "rand-prune",
          0,
          "Weights below it become it or zero, at random, so that their mean stays");
  private final Option<Integer> seed = options.integer("srand", 0, "Seed of --rand-prune");

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(3, 3);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    Nnet nnet = Nnet.load(arguments.get(0));
    long examples = 0;
    LdaStats stats;
    try (Context context = Context.open();
        var reader = Egs.reader(arguments.get(1))) {
      var rows = new LdaRows(context, nnet, prune.get(), seed.get());
      for (; reader.next(); examples++) {
        rows.accept(reader.value());
      }
      stats = rows.stats();
    }
    log.info("Processed %d examples.", examples);
    if (stats == null || stats.count() == 0) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[lda] there must be examples with targets; got %d without; give others.",
              examples));
    }
    stats.save(arguments.get(2), binary.get());
    log.info(
        "Accumulated stats, soft frame count = %s.  Wrote to %s",
        FloatText.of(stats.count(), 6), arguments.get(2));
    return 0;
  }
}
