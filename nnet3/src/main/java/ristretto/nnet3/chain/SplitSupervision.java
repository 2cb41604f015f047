package ristretto.nnet3.chain;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.fst.Fst;
import ristretto.nnet3.fst.FstBuilder;

/** Cuts ranges of output frames out of the supervision of an utterance. */
public final class SplitSupervision {
  private final ChainSupervision all;
  private final int[] times;

  /**
   * Creates the splitter.
   *
   * @throws ShapeException if the supervision is not of one utterance with states sorted by time
   */
  public SplitSupervision(ChainSupervision all) {
    if (all.endToEnd() || all.sequences() != 1 || all.fsts().getFirst().hasInputEpsilons()) {
      throw new ShapeException(
          "[chain] a supervision to split must be of one sequence, not end-to-end and without"
              + " epsilons; got another; make it with chain-get-supervision.");
    }
    this.all = all;
    times = all.times();
  }

  /**
   * Returns the supervision of {@code count} frames from a frame on. A new start state has epsilon
   * arcs to all states of that frame.
   */
  public ChainSupervision range(int from, int count) {
    if (from < 0 || count < 1 || from + count > all.frames()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[chain] a range must be within the %d frames of a supervision; got %d frames from"
                  + " %d; correct it.",
              all.frames(),
              count,
              from));
    }
    int begin = first(from);
    int end = first(from + count);
    Fst fst = all.fsts().getFirst();
    var builder = new FstBuilder();
    builder.start(0);
    int last = end - begin + 1;
    for (int s = begin; s < end; s++) {
      if (times[s] == from) {
        builder.arc(0, 0, 0, 0, s - begin + 1);
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        int to = Math.min(fst.target(k) - begin + 1, last);
        builder.arc(s - begin + 1, fst.input(k), fst.output(k), fst.cost(k), to);
      }
    }
    builder.finalCost(last, 0);
    return new ChainSupervision(
        all.weight(), 1, count, all.labels(), false, List.of(builder.build()), new int[0]);
  }

  /** Number of the first state of a frame. */
  private int first(int frame) {
    int found = Arrays.binarySearch(times, frame);
    while (found > 0 && times[found - 1] == frame) {
      found--;
    }
    return found;
  }
}
