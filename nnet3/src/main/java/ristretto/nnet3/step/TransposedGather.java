package ristretto.nnet3.step;

import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.sum;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;

/**
 * Transpose of gathering rows: for each source row, the sum of the rows gathered from it. In gather
 * form and in a fixed order, so that no two threads write the same element.
 */
public final class TransposedGather {
  /** Maximum number of readers of a row that are added one by one; more are a product with ones. */
  private static final int FEW = 4;

  private TransposedGather() {}

  /**
   * Sums rows by their source row.
   *
   * @param dx one row for each of {@code places}, along dimension 0 of three
   * @param places source row of each row, or -1
   * @param first first requested source row
   * @param count number of requested source rows
   * @return null if none of them was read
   */
  public static Expr<F32> read(
      DeviceParameters deviceParameters, Expr<F32> dx, int[] places, int first, int count) {
    var readers = new int[count];
    int most = 0;
    for (int place : places) {
      if (place >= first && place < first + count) {
        most = Math.max(most, ++readers[place - first]);
      }
    }
    if (most == 0) {
      return null;
    }
    Expr<F32> runs = most == 1 ? null : runs(dx, places, first, count, most, readers);
    if (runs != null) {
      return runs;
    }
    return most <= FEW
        ? few(deviceParameters, dx, places, first, count, most)
        : ones(deviceParameters, dx, places, first, count);
  }

  /**
   * Returns the sums as a reduction if all rows have the same number of readers, consecutively;
   * null otherwise.
   */
  private static Expr<F32> runs(
      Expr<F32> dx, int[] places, int first, int count, int length, int[] readers) {
    if (readers[0] != length) {
      return null;
    }
    int start = 0;
    while (places[start] != first) {
      start++;
    }
    if (start + count * length > places.length) {
      return null;
    }
    for (int k = 0; k < count * length; k++) {
      if (places[start + k] != first + k / length || readers[k / length] != length) {
        return null;
      }
    }
    long sequences = dx.shape().dim(1);
    long dim = dx.shape().dim(2);
    Expr<F32> rows = dx.slice(range(start, start + (long) count * length));
    return sum(rows.reshape(count, length, sequences, dim), 1);
  }

  private static Expr<F32> few(
      DeviceParameters deviceParameters,
      Expr<F32> dx,
      int[] places,
      int first,
      int count,
      int most) {
    var maps = new ArrayList<int[]>();
    for (int k = 0; k < most; k++) {
      var map = new int[count];
      Arrays.fill(map, -1);
      maps.add(map);
    }
    var used = new int[count];
    for (int k = 0; k < places.length; k++) {
      int row = places[k] - first;
      if (row >= 0 && row < count && places[k] >= 0) {
        maps.get(used[row]++)[row] = k;
      }
    }
    Expr<F32> sum = null;
    for (int[] map : maps) {
      Expr<F32> rows = RowMap.of(map, places.length).read(deviceParameters, dx);
      sum = sum == null ? rows : sum.plus(rows);
    }
    return sum;
  }

  private static Expr<F32> ones(
      DeviceParameters deviceParameters, Expr<F32> dx, int[] places, int first, int count) {
    List<List<Integer>> use = new ArrayList<>();
    for (int k = 0; k < count; k++) {
      use.add(new ArrayList<>());
    }
    for (int k = 0; k < places.length; k++) {
      if (places[k] >= first && places[k] < first + count) {
        use.get(places[k] - first).add(k);
      }
    }
    return RowSums.of(
        deviceParameters,
        dx,
        use.stream().map(l -> l.stream().mapToInt(i -> i).toArray()).toList());
  }
}
