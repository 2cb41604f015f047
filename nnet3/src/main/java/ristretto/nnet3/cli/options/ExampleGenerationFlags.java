package ristretto.nnet3.cli.options;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import ristretto.nnet3.egs.ExampleGenerationOptions;

/** Options for cutting utterances into chunks. */
public final class ExampleGenerationFlags {
  private final Option<Integer> left;
  private final Option<Integer> right;
  private final Option<Integer> leftInitial;
  private final Option<Integer> rightFinal;
  private final Option<String> sizes;
  private final Option<Integer> overlap;
  private final Option<Integer> subsampling;

  public ExampleGenerationFlags(ParseOptions options) {
    this(options, "1");
  }

  /** Adds the options, with {@code frames} as the default of {@code --num-frames}. */
  public ExampleGenerationFlags(ParseOptions options, String frames) {
    left = options.integer("left-context", 0, "Frames of left context of a chunk");
    right = options.integer("right-context", 0, "Frames of right context of a chunk");
    leftInitial =
        options.integer(
            "left-context-initial",
            -1,
            "If not negative, overrides --left-context at the start of an utterance");
    rightFinal =
        options.integer(
            "right-context-final",
            -1,
            "If not negative, overrides --right-context at the end of an utterance");
    sizes =
        options.string(
            "num-frames",
            frames,
            "Frames per chunk, such as 8; with 40,25,50 most chunks have 40 frames, and at most two"
                + " of an utterance another size; -1 for whole utterances");
    overlap =
        options.integer(
            "num-frames-overlap", 0, "Approximate overlap of neighbouring chunks in frames");
    subsampling =
        options.integer("frame-subsampling-factor", 1, "Number of feature frames per target frame");
  }

  public ExampleGenerationOptions get(CommandLog log) {
    List<Integer> wanted = sizes.get().equals("-1") ? List.of() : parsed(sizes.get());
    var chunks =
        new ExampleGenerationOptions(
            wanted,
            overlap.get(),
            subsampling.get(),
            left.get(),
            right.get(),
            leftInitial.get(),
            rightFinal.get());
    if (!chunks.sizes().equals(wanted)) {
      log.info(
          "Rounding up --num-frames=%s to multiples of --frame-subsampling-factor=%d, to: %s",
          sizes.get(),
          subsampling.get(),
          chunks.sizes().stream().map(String::valueOf).collect(Collectors.joining(",")));
    }
    return chunks;
  }

  private static List<Integer> parsed(String text) {
    try {
      return Arrays.stream(text.split(",", -1)).map(Integer::valueOf).toList();
    } catch (NumberFormatException _) {
      throw new UsageException(
          "[options] --num-frames must be comma-separated numbers; got \"%s\"; write, for example, 8 or 40,25,50."
              .formatted(text));
    }
  }
}
