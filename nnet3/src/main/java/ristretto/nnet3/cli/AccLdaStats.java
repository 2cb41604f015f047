package ristretto.nnet3.cli;

import java.util.List;
import java.util.Locale;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.LdaRows;
import ristretto.nnet3.train.LdaStats;

/** Accumulates statistics of a network's outputs by class, for a feature transform. */
final class AccLdaStats extends Tool {
  AccLdaStats() {
    super(
        "nnet3-acc-lda-stats",
        """
        Accumulates statistics for linear discriminant analysis from examples, like acc-lda: rows
        are the network's outputs at the node named output, and classes are the targets.
        nnet3-get-feature-transform computes a transform from the statistics.

        Usage:  nnet3-acc-lda-stats [options] <raw-nnet-in> <training-examples-in> <lda-stats-out>
        e.g.:
        nnet3-acc-lda-stats 0.raw ark:1.egs 1.acc
        """,
        3,
        3);
  }

  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary file");
  private final Option<Float> prune =
      options.real(
          "rand-prune", 0, "Randomly round weights below this to this or zero, with equal mean");
  private final Option<Integer> seed = options.integer("srand", 0, "Seed of --rand-prune");

  @Override
  int run(List<String> arguments, CommandLog log) {
    Nnet nnet = Nnet.load(arguments.get(0));
    long examples = 0;
    LdaStats stats;
    try (Context context = Context.open();
        var reader = ExampleKind.NNET3.reader(arguments.get(1))) {
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
              "[lda] there must be examples with targets; got %d without; give other examples.",
              examples));
    }
    stats.save(arguments.get(2), binary.get());
    log.info(
        "Accumulated stats, soft frame count = %s.  Wrote to %s",
        FloatText.of(stats.count(), 6), arguments.get(2));
    return 0;
  }
}
