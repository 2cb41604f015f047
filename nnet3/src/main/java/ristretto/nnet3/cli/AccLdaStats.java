package ristretto.nnet3.cli;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.io.FloatText;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.train.LdaRows;
import ristretto.nnet3.train.LdaStats;

/** Accumulates statistics of a network's outputs by class, for a feature transform. */
final class AccLdaStats extends Tool {
  private final boolean chain;

  AccLdaStats(boolean chain) {
    super(name(chain), usage(chain), 3, 3);
    this.chain = chain;
  }

  private static String name(boolean chain) {
    return chain ? "nnet3-chain-acc-lda-stats" : "nnet3-acc-lda-stats";
  }

  private static String usage(boolean chain) {
    return """
    Accumulates statistics for linear discriminant analysis from examples, like acc-lda: rows
    are the network's outputs at the node named output, and classes are the %s.
    nnet3-get-feature-transform computes a transform from the statistics.

    Usage:  %s [options] <raw-nnet-in> <training-examples-in> <lda-stats-out>
    e.g.:
    %s 0.raw ark:1.%s 1.acc
    """
        .formatted(
            chain ? "pdfs of the supervision" : "targets",
            name(chain),
            name(chain),
            chain ? "cegs" : "egs");
  }

  private final Option<Boolean> binary = options.bool("binary", true, "Write a binary file");
  private final Option<Float> prune =
      options.real(
          "rand-prune", 0, "Randomly round weights below this to this or zero, with equal mean");
  private final Option<Integer> seed = options.integer("srand", 0, "Seed of --rand-prune");

  /** Passes all examples on, and closes the table; returns their number. */
  private static <E> long each(TableReader<E> from, Consumer<E> to) {
    long count = 0;
    try (from) {
      for (; from.next(); count++) {
        to.accept(from.value());
      }
    }
    return count;
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    Nnet nnet = Nnet.load(arguments.get(0));
    long examples;
    LdaStats stats;
    try (Context context = Context.open()) {
      var rows = new LdaRows(context, nnet, prune.get(), seed.get());
      examples =
          chain
              ? each(ExampleKind.CHAIN.reader(arguments.get(1)), rows::accept)
              : each(ExampleKind.NNET3.reader(arguments.get(1)), rows::accept);
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
