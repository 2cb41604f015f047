package ristretto.nnet3.cli;

import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Random;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.Index;
import ristretto.nnet3.cli.options.CommandLog;
import ristretto.nnet3.cli.options.UsageException;
import ristretto.nnet3.egs.NnetExample;
import ristretto.nnet3.egs.NnetIo;

/** Reduces an example to one output frame or to less input context, and shifts its times. */
final class SelectFrames {
  private static final int ALL = -1;

  private final boolean one;
  private final Integer frame;
  private final int left;
  private final int right;
  private final int shift;
  private final Random random;
  private final CommandLog log;
  private boolean warned;

  SelectFrames(String frame, int left, int right, int shift, Random random, CommandLog log) {
    this.one = !frame.isEmpty();
    this.frame = one && !frame.equals("random") ? number(frame) : null;
    this.left = left;
    this.right = right;
    this.shift = shift;
    this.random = random;
    this.log = log;
  }

  private static int number(String frame) {
    try {
      return Integer.parseInt(frame);
    } catch (NumberFormatException e) {
      throw new UsageException(
          "[options] --frame must be a time or 'random'; got \"%s\"; write, for example, --frame=0."
              .formatted(frame));
    }
  }

  /** Returns the selected part of an example, or null if the example lacks the output frame. */
  NnetExample apply(NnetExample example) {
    if (!one && left == ALL && right == ALL && shift == 0) {
      return example;
    }
    IntSummaryStatistics input = times(example, "input");
    IntSummaryStatistics output = times(example, "output");
    int first = output.getMin();
    int last = output.getMax();
    if (one) {
      int wanted = frame != null ? frame : first + random.nextInt(last - first + 1);
      if (wanted < first || wanted > last) {
        return null;
      }
      first = wanted;
      last = wanted;
    }
    int from = left == ALL ? input.getMin() : Math.max(input.getMin(), first - left);
    int to = right == ALL ? input.getMax() : Math.min(input.getMax(), last + right);
    if (!warned && (left != ALL && from > first - left || right != ALL && to < last + right)) {
      warned = true;
      log.warning(
          "An example has contexts of %d and %d frames only (logged once).",
          first - from, to - last);
    }
    List<NnetIo> parts = new ArrayList<>();
    for (NnetIo io : example.io()) {
      NnetIo part =
          switch (io.name()) {
            case "input" -> io.between(from, to);
            case "output" -> io.between(first, last);
            default -> io;
          };
      parts.add(shift == 0 || io.name().equals("ivector") ? part : part.shifted(shift));
    }
    return new NnetExample(parts);
  }

  private static IntSummaryStatistics times(NnetExample example, String name) {
    for (NnetIo io : example.io()) {
      if (io.indexes().stream().anyMatch(index -> index.n() != 0)) {
        throw new ShapeException(
            "[egs] frames must be selected from single examples; got %s with several sequences; select frames before merging."
                .formatted(io.name()));
      }
    }
    return example.io().stream()
        .filter(io -> io.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new ShapeException(
                "[egs] frames must be selected from examples with \"input\" and \"output\"; got %s; leave out the options for frames and contexts."
                    .formatted(example.io().stream().map(NnetIo::name).toList())))
        .indexes()
        .stream()
        .mapToInt(Index::t)
        .summaryStatistics();
  }
}
