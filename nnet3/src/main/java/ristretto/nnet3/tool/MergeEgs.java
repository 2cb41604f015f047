package ristretto.nnet3.tool;

import java.util.List;
import java.util.Locale;
import ristretto.nnet3.egs.ExampleMerger;
import ristretto.nnet3.egs.MinibatchSizes;
import ristretto.nnet3.egs.NnetExample;

/** Merges examples of the same structure into minibatches. */
final class MergeEgs implements Tool {
  private final Options options =
      new Options(
          "nnet3-merge-egs",
          """
          Merges examples of the same structure into minibatches.

          Usage:  nnet3-merge-egs [options] <egs-rspecifier> <egs-wspecifier>
          e.g.
          nnet3-merge-egs --minibatch-size=128 ark:1.egs ark:merged.egs
          See also nnet3-copy-egs
          """);
  private final Option<Boolean> compress =
      options.bool("compress", false, "Round full matrices to one or two bytes an element");
  private final Option<String> sizes =
      options.string(
          "minibatch-size",
          "256",
          "Examples a minibatch: a number, numbers and ranges such as 16:32,64 (the largest until"
              + " the input ends, then what is there), or such by size of examples (the most"
              + " indexes of an input), the nearest counting: 128=64:128,256/256=32:64,128");
  private final Option<String> measured =
      options.string("measure-output-frames", "deprecated", "Has no effect");
  private final Option<String> discard =
      options.string("discard-partial-minibatches", "deprecated", "Has no effect");
  private final Option<Boolean> multilingual =
      options.bool("multilingual-eg", false, "Has no effect: it is for examples of chain models");
  private int minibatches;

  @Override
  public Options options() {
    return options;
  }

  @Override
  public Arguments arguments() {
    return new Arguments(2, 2);
  }

  @Override
  public int run(List<String> arguments, Log log) {
    for (Option<String> old : List.of(measured, discard)) {
      if (!old.get().equals("deprecated")) {
        log.warning("The option --%s has no effect.", old.name);
      }
    }
    if (multilingual.get()) {
      log.warning("The option --%s has no effect.", multilingual.name);
    }
    var rules = new MinibatchSizes(sizes.get());
    try (var reader = Egs.reader(arguments.get(0));
        var writer = Egs.writer(arguments.get(1))) {
      var merger =
          new ExampleMerger(
              rules,
              (minibatch, count) -> {
                NnetExample written = compress.get() ? minibatch.compressed() : minibatch;
                writer.write(
                    String.format(Locale.ROOT, "merged-%d-%d", minibatches++, count), written);
              });
      while (reader.next()) {
        merger.accept(reader.value());
      }
      merger.finish();
      if (merger.written() > 0) {
        writer.commit();
        merger.report().forEach(line -> log.info("%s", line));
      } else {
        log.warning("No minibatches were made, and nothing was written.");
      }
    }
    return minibatches == 0 ? 1 : 0;
  }
}
