package ristretto.nnet3.component;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import ristretto.nnet3.Index;

/** Input rows at regular times. */
final class TimeRange {
  private TimeRange() {}

  /** The rows beside one at the times from first to last. */
  static List<Index> indexes(Index beside, int first, int last, int step) {
    return IntStream.rangeClosed(0, Math.floorDiv(last - first, step))
        .mapToObj(i -> beside.at(first + i * step, beside.x()))
        .toList();
  }

  /** Passes those that are available to {@code used}; whether there are any. */
  static boolean any(List<Index> all, Predicate<Index> available, Consumer<Index> used) {
    List<Index> there = all.stream().filter(available).toList();
    there.forEach(used);
    return !there.isEmpty();
  }
}
