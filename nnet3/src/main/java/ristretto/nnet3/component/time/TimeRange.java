package ristretto.nnet3.component.time;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import ristretto.nnet3.Index;

/** Input rows at a constant time stride. */
final class TimeRange {
  private TimeRange() {}

  /**
   * Returns the rows of the sequence and x of {@code beside} at the times from {@code first} to
   * {@code last}.
   */
  static List<Index> indexes(Index beside, int first, int last, int step) {
    return IntStream.rangeClosed(0, Math.floorDiv(last - first, step))
        .mapToObj(i -> beside.at(first + i * step, beside.x()))
        .toList();
  }

  /** Passes the available rows to {@code used}; returns true if there is at least one. */
  static boolean any(List<Index> all, Predicate<Index> available, Consumer<Index> used) {
    List<Index> there = all.stream().filter(available).toList();
    there.forEach(used);
    return !there.isEmpty();
  }
}
