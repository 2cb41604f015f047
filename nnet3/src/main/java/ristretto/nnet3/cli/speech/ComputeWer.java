package ristretto.nnet3.cli.speech;

import java.util.List;
import java.util.Locale;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.Option;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.cli.tool.Tool;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.RandomAccessTable;
import ristretto.nnet3.io.TableReader;
import ristretto.nnet3.search.WordErrors;

/** Prints the word error rate. */
public final class ComputeWer extends Tool {
  private static final List<String> MODES = List.of("strict", "present", "all");

  private final Option<String> mode =
      options.string(
          "mode",
          "strict",
          "strict|present|all: utterances without a hypothesis are an error, are left out, or have"
              + " no words");

  public ComputeWer() {
    super(
        "compute-wer",
        """
        Compares recognized words with references, and prints the rates of wrong words and wrong
        sentences. Words are text or numbers.

        Usage:  compute-wer [options] <ref-rspecifier> <hyp-rspecifier>
        e.g.:
         compute-wer --text --mode=present ark:data/test/text ark:hyp.txt
        """,
        2,
        2);
    options.bool("text", false, "Accepted without effect");
  }

  @Override
  public int run(List<String> arguments, CommandLog log) {
    if (!MODES.contains(mode.get())) {
      throw new UsageException(
          "[options] --mode must be one of %s; got \"%s\"; correct it."
              .formatted(String.join(", ", MODES), Excerpt.of(mode.get())));
    }
    int words = 0;
    int sentences = 0;
    int wrong = 0;
    int absent = 0;
    var errors = new WordErrors(0, 0, 0);
    try (var references = TableReader.open(arguments.get(0), Holder.TOKENS);
        var hypotheses = RandomAccessTable.open(arguments.get(1), Holder.TOKENS)) {
      while (references.next()) {
        String key = references.key();
        List<String> hypothesis = List.of();
        if (hypotheses.has(key)) {
          hypothesis = hypotheses.get(key);
        } else if (mode.get().equals("strict")) {
          throw new FileFormatException(
              "[wer] all references must have a hypothesis; got none for '%s'; set --mode=present or --mode=all."
                  .formatted(Excerpt.of(key)));
        } else {
          absent++;
          if (mode.get().equals("present")) {
            continue;
          }
        }
        List<String> reference = references.value();
        words += reference.size();
        errors = errors.plus(WordErrors.of(reference, hypothesis));
        sentences++;
        wrong += reference.equals(hypothesis) ? 0 : 1;
      }
    }
    if (sentences == 0) {
      log.warning("No sentences were compared");
      return 1;
    }
    System.out.printf(
        Locale.ROOT,
        "%%WER %.2f [ %d / %d, %d ins, %d del, %d sub ]%s%n",
        100.0 * errors.total() / words,
        errors.total(),
        words,
        errors.insertions(),
        errors.deletions(),
        errors.substitutions(),
        absent > 0 ? " [PARTIAL]" : "");
    System.out.printf(
        Locale.ROOT, "%%SER %.2f [ %d / %d ]%n", 100.0 * wrong / sentences, wrong, sentences);
    System.out.printf(
        Locale.ROOT, "Scored %d sentences, %d not present in hyp.%n", sentences, absent);
    return 0;
  }
}
