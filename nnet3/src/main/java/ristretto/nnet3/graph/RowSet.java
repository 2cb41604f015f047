package ristretto.nnet3.graph;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import ristretto.nnet3.Index;

/** Set of rows of one node, stored as one set of times for each x and n. */
public final class RowSet {
  private final TreeMap<Long, TimeSet> lanes = new TreeMap<>();

  /** Returns the set of these rows, all of which must have a time. */
  static RowSet of(Collection<Index> rows) {
    var set = new RowSet();
    rows.forEach(set::add);
    return set;
  }

  private static long lane(int n, int x) {
    return (long) x << Integer.SIZE | n & 0xFFFFFFFFL;
  }

  private static Index row(long lane, int t) {
    return new Index((int) lane, t, (int) (lane >> Integer.SIZE));
  }

  private TimeSet times(long lane) {
    return lanes.computeIfAbsent(lane, _ -> new TimeSet());
  }

  void add(Index row) {
    times(lane(row.n(), row.x())).add(row.t());
  }

  void addAll(RowSet other) {
    other.lanes.forEach((lane, times) -> times(lane).addAll(times));
  }

  boolean contains(Index row) {
    TimeSet times = lanes.get(lane(row.n(), row.x()));
    return times != null && times.contains(row.t());
  }

  boolean isEmpty() {
    return lanes.values().stream().allMatch(TimeSet::isEmpty);
  }

  public int size() {
    return lanes.values().stream().mapToInt(TimeSet::size).sum();
  }

  /** Returns the rows with {@code t} and {@code x} added to theirs. */
  RowSet shifted(int t, int x) {
    var moved = new RowSet();
    lanes.forEach((lane, times) ->
        moved.lanes.put(
            lane((int) (long) lane, (int) (lane >> Integer.SIZE) + x), times.shifted(t)));
    return moved;
  }

  private interface Both {
    TimeSet of(TimeSet a, TimeSet b);
  }

  private RowSet with(RowSet other, Both both) {
    var result = new RowSet();
    var none = new TimeSet();
    lanes.forEach((lane, times) ->
        result.lanes.put(lane, both.of(times, other.lanes.getOrDefault(lane, none))));
    return result;
  }

  RowSet and(RowSet other) {
    return with(other, TimeSet::and);
  }

  RowSet without(RowSet other) {
    return with(other, TimeSet::without);
  }

  /** Returns the rows whose t is from {@code lo} to {@code hi}, inclusive. */
  RowSet within(long lo, long hi) {
    var result = new RowSet();
    lanes.forEach((lane, times) -> result.lanes.put(lane, times.within(lo, hi)));
    return result;
  }

  RowSet where(Predicate<Index> holds) {
    var some = new RowSet();
    forEach(row -> {
      if (holds.test(row)) {
        some.add(row);
      }
    });
    return some;
  }

  RowSet map(UnaryOperator<Index> change) {
    var all = new RowSet();
    forEach(row -> all.add(change.apply(row)));
    return all;
  }

  /** Passes the rows to {@code sink}, ordered by x, n and t. */
  void forEach(Consumer<Index> sink) {
    lanes.forEach((lane, times) -> times.forEach(t -> sink.accept(row(lane, t))));
  }

  /** Returns the rows in their natural order. */
  public List<Index> sorted() {
    var all = new ArrayList<Index>();
    forEach(all::add);
    if (lanes.size() > 1) {
      all.sort(null);
    }
    return all;
  }
}
