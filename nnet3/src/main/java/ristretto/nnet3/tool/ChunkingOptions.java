package ristretto.nnet3.tool;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import ristretto.nnet3.egs.ChunkOptions;

/** Options for cutting utterances into chunks. */
final class ChunkingOptions {
  private final Option<Integer> left;
  private final Option<Integer> right;
  private final Option<Integer> leftInitial;
  private final Option<Integer> rightFinal;
  private final Option<String> sizes;
  private final Option<Integer> overlap;
  private final Option<Integer> subsampling;

  ChunkingOptions(Options options) {
    this(options, "1");
  }

  /** Adds the options, with {@code frames} as the default of {@code --num-frames}. */
  ChunkingOptions(Options options, String frames) {
    left = options.integer("left-context", 0, "Frames of features before those of a chunk");
    right = options.integer("right-context", 0, "Frames of features after those of a chunk");
    leftInitial =
        options.integer(
            "left-context-initial",
            -1,
            "In place of --left-context at the begin of an utterance, unless negative");
    rightFinal =
        options.integer(
            "right-context-final",
            -1,
            "In place of --right-context at the end of an utterance, unless negative");
    sizes =
        options.string(
            "num-frames",
            frames,
            "Frames of a chunk, such as 8; or 40,25,50: mostly 40, and at most twice an utterance"
                + " another of them; -1 for whole utterances");
    overlap =
        options.integer(
            "num-frames-overlap", 0, "Frames that neighbouring chunks should share, roughly");
    subsampling =
        options.integer("frame-subsampling-factor", 1, "Frames of features for a frame of targets");
  }

  ChunkOptions get(Log log) {
    List<Integer> wanted = sizes.get().equals("-1") ? List.of() : parsed(sizes.get());
    var chunks =
        new ChunkOptions(
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
          "[options] --num-frames must be numbers with commas between them; got \"%s\"; write such as 8 or 40,25,50."
              .formatted(text));
    }
  }
}
