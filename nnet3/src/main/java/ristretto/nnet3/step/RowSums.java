package ristretto.nnet3.step;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.sum;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.form.Form;
import ristretto.expr.type.F32;

/**
 * Sums of rows: few rows as a sum of views, one range of rows for all sums as a reduction, other
 * sets as a product with a matrix of ones.
 */
final class RowSums {
  /** Maximum number of rows added one by one; a product with ones reads all rows for each sum. */
  private static final int FEW = 4;

  private RowSums() {}

  /**
   * Returns, for each element of {@code use}, the sum of the rows of {@code a} that it lists, along
   * dimension 0.
   */
  static Expr<F32> of(DeviceParameters deviceParameters, Expr<F32> a, List<int[]> use) {
    int[] first = use.get(0);
    boolean even = first.length > 0 && use.stream().allMatch(rows -> rows.length == first.length);
    if (even && first.length <= FEW) {
      return few(deviceParameters, a, use);
    }
    if (a.form() instanceof Form.Concat(int axis) && axis == 2) {
      // Concatenated values are added up separately: one kernel for all of them would branch at
      // each element.
      var parts = new ArrayList<Expr<F32>>();
      for (Expr<?> part : a.inputs()) {
        parts.add(of(deviceParameters, part.cast(F32), use));
      }
      return ForwardStep.append(parts);
    }
    boolean same = even && use.stream().allMatch(rows -> Arrays.equals(rows, first));
    if (same && first[first.length - 1] - first[0] == first.length - 1) {
      Expr<F32> rows = a.slice(range(first[0], first[0] + (long) first.length));
      return sum(rows, 0).keepDims().expand(use.size(), a.shape().dim(1), a.shape().dim(2));
    }
    return product(deviceParameters, a, use);
  }

  private static Expr<F32> few(DeviceParameters deviceParameters, Expr<F32> a, List<int[]> use) {
    Expr<F32> total = null;
    for (int k = 0; k < use.get(0).length; k++) {
      int which = k;
      int[] places = use.stream().mapToInt(rows -> rows[which]).toArray();
      Expr<F32> rows = RowMap.of(places, (int) a.shape().dim(0)).read(deviceParameters, a);
      total = total == null ? rows : total.plus(rows);
    }
    return total;
  }

  private static Expr<F32> product(
      DeviceParameters deviceParameters, Expr<F32> a, List<int[]> use) {
    int from = (int) a.shape().dim(0);
    var ones = new float[use.size() * from];
    for (int k = 0; k < use.size(); k++) {
      for (int place : use.get(k)) {
        ones[k * from + place] = 1;
      }
    }
    long width = a.shape().dim(1) * a.shape().dim(2);
    Expr<F32> matrix = deviceParameters.context().tensor(ones, use.size(), from);
    return dot(matrix, a.reshape(from, width))
        .reshape(use.size(), a.shape().dim(1), a.shape().dim(2));
  }
}
