package ristretto.nnet3.forward;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.sum;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Form;

/**
 * Sums of rows: of few rows as sums of views, of the same rows for all as one reduction, of others
 * as a product with a matrix of ones.
 */
final class RowSums {
  /** So many rows are read one by one; a product reads them all for each sum. */
  private static final int FEW = 4;

  private RowSums() {}

  /** For each of {@code use} the sum of the rows of {@code a} that it names, along axis 0. */
  static Expr<F32> of(Resident resident, Expr<F32> a, List<int[]> use) {
    int[] first = use.get(0);
    boolean even = first.length > 0 && use.stream().allMatch(rows -> rows.length == first.length);
    if (even && first.length <= FEW) {
      return few(resident, a, use);
    }
    if (a.form() instanceof Form.Concat(int axis) && axis == 2) {
      // Values side by side are added up apart: a kernel for all would choose at each element.
      var parts = new ArrayList<Expr<F32>>();
      for (Expr<?> part : a.inputs()) {
        parts.add(of(resident, part.cast(F32), use));
      }
      return Forward.append(parts);
    }
    boolean same = even && use.stream().allMatch(rows -> Arrays.equals(rows, first));
    if (same && first[first.length - 1] - first[0] == first.length - 1) {
      Expr<F32> rows = a.slice(range(first[0], first[0] + (long) first.length));
      return sum(rows, 0).keepDims().expand(use.size(), a.shape().dim(1), a.shape().dim(2));
    }
    return product(resident, a, use);
  }

  private static Expr<F32> few(Resident resident, Expr<F32> a, List<int[]> use) {
    Expr<F32> total = null;
    for (int k = 0; k < use.get(0).length; k++) {
      int which = k;
      int[] places = use.stream().mapToInt(rows -> rows[which]).toArray();
      Expr<F32> rows = RowMap.of(places, (int) a.shape().dim(0)).read(resident, a);
      total = total == null ? rows : total.plus(rows);
    }
    return total;
  }

  private static Expr<F32> product(Resident resident, Expr<F32> a, List<int[]> use) {
    int from = (int) a.shape().dim(0);
    var ones = new float[use.size() * from];
    for (int k = 0; k < use.size(); k++) {
      for (int place : use.get(k)) {
        ones[k * from + place] = 1;
      }
    }
    long width = a.shape().dim(1) * a.shape().dim(2);
    Expr<F32> matrix = resident.context().tensor(ones, use.size(), from);
    return dot(matrix, a.reshape(from, width))
        .reshape(use.size(), a.shape().dim(1), a.shape().dim(2));
  }
}
