package ristretto.nnet3.cli;

import java.util.List;
import java.util.Locale;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.ExampleGenerationFlags;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.IvectorTable;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.egs.ChunkInputs;
import ristretto.nnet3.egs.Chunker;
import ristretto.nnet3.egs.ExampleMaker;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.Posterior;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.matrix.GeneralMatrix;

/** Makes training examples from features and targets, which are classes or rows of numbers. */
final class GetEgs extends Tool {
  private final boolean dense;
  private final ExampleGenerationFlags chunking;
  private final Option<Boolean> compress;
  private final Option<Integer> classes;
  private final Option<Boolean> alignments;
  private final IvectorTable ivectors;
  private final Option<Integer> targetsTolerance;
  private final Option<Integer> seed;

  GetEgs(boolean dense) {
    super(name(dense), usage(dense), 3, 3);
    this.dense = dense;
    chunking = new ExampleGenerationFlags(options);
    compress =
        options.bool(
            "compress",
            true,
            "Compress features to one or two bytes per element; compressed features stay as they"
                + " are");
    classes =
        dense
            ? options.integer("num-targets", -1, "Required number of target columns; -1 for any")
            : options.integer("num-pdfs", -1, "Number of classes; required");
    alignments =
        dense
            ? null
            : options.bool(
                "alignments", false, "Read targets as one class per frame, not as posteriors");
    ivectors = new IvectorTable(options);
    targetsTolerance =
        options.integer(
            "targets-length-tolerance",
            2,
            "Largest difference in frames between features and targets");
    seed = options.integer("srand", 0, "Seed for the random choice of chunks and i-vectors");
  }

  private static String name(boolean dense) {
    return dense ? "nnet3-get-egs-dense-targets" : "nnet3-get-egs";
  }

  private static String usage(boolean dense) {
    return """
    Makes training examples with %s as targets, from chunks of features with context.

    Usage:  %s [options] <features-rspecifier> <%s-rspecifier> <egs-out>

    e.g.:
    %s --num-%s --left-context=12 --right-context=9 --num-frames=8 \\
       ark:feats.ark ark:targets.ark ark:egs.ark
    See also: nnet3-merge-egs, nnet3-shuffle-egs, %s
    """
        .formatted(
            dense ? "rows of numbers" : "classes or their weights",
            name(dense),
            dense ? "targets" : "pdf-post",
            name(dense),
            dense ? "targets=40" : "pdfs=2658",
            dense ? "nnet3-get-egs" : "nnet3-get-egs-dense-targets");
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    if (!dense && classes.get() <= 0) {
      throw new UsageException(
          String.format(
              Locale.ROOT,
              "[options] --num-pdfs must be the number of classes; got %d; correct it.",
              classes.get()));
    }
    var chunker = new Chunker(chunking.get(log), seed.get());
    int errors = 0;
    try (var features = TableReader.open(arguments.get(0), Holder.GENERAL_MATRIX);
        var given = ivectors.open();
        var targets = RandomAccessTable.open(arguments.get(1), holder());
        var out = ExampleKind.NNET3.writer(arguments.get(2))) {
      var maker = new ExampleMaker(chunker, seed.get(), compress.get(), out::write);
      while (features.next()) {
        errors += make(maker, chunker, features, targets, given, log) ? 0 : 1;
      }
      if (chunker.chunkCount() > 0) {
        out.commit();
      }
    }
    if (errors > 0) {
      log.warning("%d utterances had errors and could not be processed.", errors);
    }
    if (chunker.chunkCount() > 0) {
      chunker.report().forEach(line -> log.info("%s", line));
    } else {
      log.warning("No examples were made, and nothing was written.");
    }
    return chunker.chunkCount() > 0 ? 0 : 1;
  }

  private Holder<?> holder() {
    return dense ? Holder.GENERAL_MATRIX : alignments.get() ? Holder.INTS : Holder.POSTERIOR;
  }

  private boolean make(
      ExampleMaker maker,
      Chunker chunker,
      TableReader<GeneralMatrix> features,
      RandomAccessTable<?> targets,
      RandomAccessTable<GeneralMatrix> given,
      CommandLog log) {
    String key = features.key();
    GeneralMatrix rows = features.value();
    if (!targets.has(key)) {
      log.warning("No %s for key %s", dense ? "target matrix" : "pdf-level posterior", key);
      return false;
    }
    ChunkInputs.Ivectors vectors = null;
    if (given != null) {
      vectors = ivectors.of(given, key, rows.rows(), log);
      if (vectors == null) {
        return false;
      }
    }
    Object target = targets.get(key);
    if (!lengthsMatch(key, rows.rows(), length(target), chunker, log)) {
      return false;
    }
    int made;
    if (target instanceof GeneralMatrix numbers) {
      if (classes.get() > 0 && numbers.cols() != classes.get()) {
        log.warning("Targets of %s have %d columns, not %d", key, numbers.cols(), classes.get());
        return false;
      }
      made = maker.accept(key, rows, numbers.toMatrix(), vectors);
    } else {
      Posterior posterior =
          target instanceof int[] alignment ? Posterior.of(alignment) : (Posterior) target;
      made = maker.accept(key, rows, posterior, classes.get(), vectors);
    }
    if (made == 0) {
      log.warning(
          "Not producing egs for utterance %s because it is too short: %d frames.",
          key, rows.rows());
    }
    return true;
  }

  private static int length(Object target) {
    return switch (target) {
      case GeneralMatrix numbers -> numbers.rows();
      case int[] alignment -> alignment.length;
      default -> ((Posterior) target).frames();
    };
  }

  private boolean lengthsMatch(
      String key, int frames, int targets, Chunker chunker, CommandLog log) {
    int expected = (frames + chunker.options().subsampling() - 1) / chunker.options().subsampling();
    boolean match = Math.abs(targets - expected) <= targetsTolerance.get() && targets > 0;
    if (!match) {
      log.warning(
          "Supervision does not have expected length for utterance %s: expected length = %d, got"
              + " %d",
          key, expected, targets);
    }
    return match;
  }
}
