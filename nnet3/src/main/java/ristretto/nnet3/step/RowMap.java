package ristretto.nnet3.step;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.pad;
import static ristretto.expr.Ops.take;
import static ristretto.expr.Ops.where;

import java.util.Arrays;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.expr.type.Slice;
import ristretto.nnet3.LoweringOptions;

/** Map from each row of a result to a row of its source, or to zeros. */
public sealed interface RowMap {
  /** All rows of the source, in order. */
  record Identity(int size) implements RowMap {}

  /**
   * Rows with a constant stride, {@code count} of them, between {@code before} and {@code after}
   * zero rows.
   */
  record Steps(int start, int step, int count, int before, int after) implements RowMap {}

  /** Arbitrary rows; -1 for zeros. */
  record Places(int[] places) implements RowMap {}

  /** Only zeros. */
  record Nothing(int size) implements RowMap {}

  /**
   * Returns the simplest form of a map.
   *
   * @param places for each row of the result, a source row or -1
   * @param sourceSize number of rows of the source
   */
  static RowMap of(int[] places, int sourceSize) {
    int from = 0;
    int to = places.length;
    while (from < to && places[from] < 0) {
      from++;
    }
    while (to > from && places[to - 1] < 0) {
      to--;
    }
    if (from == to) {
      return new Nothing(places.length);
    }
    int step = to - from == 1 ? 1 : places[from + 1] - places[from];
    for (int k = from; k < to; k++) {
      if (step == 0 || places[k] < 0 || places[k] != places[from] + (k - from) * step) {
        return new Places(places);
      }
    }
    return step == 1 && to - from == sourceSize && places.length == sourceSize
        ? new Identity(sourceSize)
        : new Steps(places[from], step, to - from, from, places.length - to);
  }

  /** Returns the source row of each result row, or -1. */
  default int[] places() {
    return switch (this) {
      case Identity(int size) -> {
        var all = new int[size];
        Arrays.setAll(all, k -> k);
        yield all;
      }
      case Steps(int start, int step, int count, int before, int after) -> {
        var all = new int[before + count + after];
        Arrays.setAll(
            all, k -> k < before || k >= before + count ? -1 : start + (k - before) * step);
        yield all;
      }
      case Places(int[] places) -> places;
      case Nothing(int size) -> {
        var all = new int[size];
        Arrays.fill(all, -1);
        yield all;
      }
    };
  }

  /** Gathers the rows of {@code a}, along dimension 0 of three. */
  default Expr<F32> read(DeviceParameters deviceParameters, Expr<F32> a) {
    if (!isSliced(deviceParameters.lowering())) {
      return gather(deviceParameters, a, places());
    }
    return switch (this) {
      case Identity _ -> a;
      case Steps(int start, int step, int count, int before, int after) -> {
        Expr<F32> rows = a.slice(slice(start, step, count));
        yield before + after == 0 ? rows : pad(rows, before, after, 0, 0, 0, 0);
      }
      case Places(int[] places) -> gather(deviceParameters, a, places);
      case Nothing(int size) -> fill(F32, 0, size, a.shape().dim(1), a.shape().dim(2));
    };
  }

  private boolean isSliced(LoweringOptions lowering) {
    return switch (this) {
      case Nothing _ -> true;
      case Steps(int _, int _, int _, int before, int after) ->
          lowering.sliceRows() && (lowering.snipRows() || before + after == 0);
      case Identity _, Places _ -> lowering.sliceRows();
    };
  }

  private static Expr<F32> gather(DeviceParameters deviceParameters, Expr<F32> a, int[] places) {
    int[] clipped = Arrays.stream(places).map(p -> Math.max(p, 0)).toArray();
    Expr<F32> rows = take(a, deviceParameters.indexes(clipped), 0);
    if (Arrays.equals(clipped, places)) {
      return rows;
    }
    int[] there = Arrays.stream(places).map(p -> p < 0 ? 0 : 1).toArray();
    return where(deviceParameters.indexes(there).reshape(there.length, 1, 1).ne(0L), rows, 0);
  }

  private static Slice slice(int start, int step, int count) {
    long stop = start + (long) step * count;
    return new Slice((long) start, stop < 0 ? null : stop, step, false);
  }
}
