package ristretto.nnet3.cli;

import java.util.List;
import java.util.Locale;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.tool.ExampleKind;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.egs.Example;
import ristretto.nnet3.egs.ExampleMerger;
import ristretto.nnet3.egs.MinibatchSizes;

/** Merges examples of the same structure into minibatches. */
final class MergeEgs<E extends Example<E>> extends Tool {
  MergeEgs(ExampleKind<E> kind, String defaultSize) {
    super(
        kind.prefix() + "-merge-egs",
        """
        Merges examples of the same structure into minibatches.

        Usage:  PREFIX-merge-egs [options] <egs-rspecifier> <egs-wspecifier>
        e.g.
        PREFIX-merge-egs --minibatch-size=128 ark:1.egs ark:merged.egs
        See also PREFIX-copy-egs
        """
            .replace("PREFIX", kind.prefix()),
        2,
        2);
    this.kind = kind;
    sizes =
        options.string(
            "minibatch-size",
            defaultSize,
            "Examples per minibatch: a number; or numbers and ranges such as 16:32,64, of which the"
                + " largest is used until the input ends; or such rules by example size (the"
                + " largest number of indexes of an input), of which the nearest size counts:"
                + " 128=64:128,256/256=32:64,128");
  }

  private final ExampleKind<E> kind;

  private final Option<Boolean> compress =
      options.bool("compress", false, "Compress full matrices to one or two bytes per element");
  private final Option<String> sizes;
  private final Option<String> measured =
      options.string("measure-output-frames", "deprecated", "Has no effect");
  private final Option<String> discard =
      options.string("discard-partial-minibatches", "deprecated", "Has no effect");
  private final Option<Boolean> multilingual =
      options.bool(
          "multilingual-eg",
          false,
          "Of chain examples: name outputs after the languages in keys such as KEY?lang=NAME, and"
              + " end the keys of minibatches so");
  private int minibatches;

  @Override
  public int run(List<String> arguments, CommandLog log) {
    for (Option<String> old : List.of(measured, discard)) {
      if (!old.get().equals("deprecated")) {
        log.warning("The option --%s has no effect.", old.name);
      }
    }
    var languages = multilingual.get() ? kind.languages() : null;
    if (multilingual.get() && languages == null) {
      log.warning("The option --%s has no effect.", multilingual.name);
    }
    var rules = new MinibatchSizes(sizes.get());
    try (var reader = kind.reader(arguments.get(0));
        var writer = kind.writer(arguments.get(1))) {
      var merger =
          new ExampleMerger<E>(
              rules,
              (minibatch, count) -> {
                E written = compress.get() ? minibatch.compressed() : minibatch;
                String key = String.format(Locale.ROOT, "merged-%d-%d", minibatches++, count);
                writer.write(languages == null ? key : key + languages.suffix(minibatch), written);
              });
      while (reader.next()) {
        E example = reader.value();
        merger.accept(languages == null ? example : languages.named(example, reader.key()));
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
