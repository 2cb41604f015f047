package ristretto.nnet3.lower;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.range;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.RowMap;

/**
 * Derivative of columns of some rows of a node as a sum of matrix products, each accumulated into
 * its target rows by the product kernel itself.
 */
final class AccumulatedProducts {
  private final Context context;
  private final long sequences;
  private final int first;
  private final int count;
  private final long from;
  private final long to;
  private final List<Product> products = new ArrayList<>();

  /**
   * Product of rows [start, start + count) of dy with w, for rows [at, at + count) of the result.
   */
  private record Product(
      Tensor<F32> dy, Expr<F32> w, float scale, long lo, long hi, int start, int at, int count) {}

  /**
   * @param first position of the first row
   * @param from first column
   */
  AccumulatedProducts(Context context, long sequences, int first, int count, long from, long to) {
    this.context = context;
    this.sequences = sequences;
    this.first = first;
    this.count = count;
    this.from = from;
    this.to = to;
  }

  /** Returns true if a piece consists of products whose target rows are consecutive. */
  static boolean canAdd(BackwardStep.Piece piece, List<NodeReader.Term> read) {
    if (piece.products().isEmpty()) {
      return false;
    }
    for (NodeReader.Term term : read) {
      for (BackwardStep.Spread product : piece.products()) {
        if (!isRun(places(product, term.term()))) {
          return false;
        }
      }
    }
    return true;
  }

  private static int[] places(BackwardStep.Spread product, GatherPlan.Term term) {
    int[] places = product.places();
    for (int k = 0; k < places.length; k++) {
      places[k] = places[k] < 0 ? -1 : term.places()[places[k]];
    }
    return places;
  }

  private static boolean isRun(int[] places) {
    return switch (RowMap.of(places, places.length)) {
      case RowMap.Identity _, RowMap.Nothing _ -> true;
      case RowMap.Steps steps -> steps.step() == 1;
      case RowMap.Places _ -> false;
    };
  }

  /**
   * Adds the products of a piece.
   *
   * @param lo first column, among those of the node
   * @param hi end of the columns
   * @param shift difference from columns of the piece to columns of the node
   */
  void add(BackwardStep.Piece piece, GatherPlan.Term term, long lo, long hi, long shift) {
    for (BackwardStep.Spread product : piece.products()) {
      int[] places = places(product, term);
      int start = 0;
      while (start < places.length && (places[start] < first || places[start] >= first + count)) {
        start++;
      }
      int end = start;
      while (end < places.length && places[end] >= 0 && places[end] < first + count) {
        end++;
      }
      if (start < end) {
        long skipped = lo - shift - piece.from();
        Tensor<F32> w = product.w().slice(all(), range(skipped, skipped + hi - lo));
        products.add(
            new Product(
                product.dy(),
                w,
                term.scale(),
                lo - from,
                hi - from,
                start,
                places[start] - first,
                end - start));
      }
    }
  }

  boolean isEmpty() {
    return products.isEmpty();
  }

  /**
   * Returns the sum; in memory, except for a single product that covers all rows and columns.
   *
   * @param others summand without products; null for none
   */
  Expr<F32> inMemory(Expr<F32> others) {
    Product only = products.get(0);
    if (others == null && products.size() == 1 && covers(only)) {
      return product(only, 0, count).reshape(count, sequences, to - from);
    }
    Tensor<F32> sum = context.empty(F32, count, sequences, to - from);
    var set = new boolean[count];
    boolean whole = products.stream().allMatch(p -> p.lo == 0 && p.hi == to - from);
    if (others != null || !whole) {
      context.assign(sum, others != null ? others : fill(F32, 0, count, sequences, to - from));
      Arrays.fill(set, true);
    }
    products.forEach(product -> put(sum, set, product));
    for (int start = 0; start < count; start = runEnd(set, start, count)) {
      if (!set[start]) {
        context.assign(sum.slice(range(start, runEnd(set, start, count))), 0);
      }
    }
    return sum;
  }

  /** Adds a product to rows that have a value, and assigns the product to the other rows. */
  private void put(Tensor<F32> sum, boolean[] set, Product p) {
    int end = p.at + p.count;
    for (int at = p.at; at < end; ) {
      int next = runEnd(set, at, end);
      Expr<F32> product = product(p, at - p.at, next - p.at);
      Tensor<F32> rows = sum.slice(range(at, next)).reshape((next - at) * sequences, to - from);
      Tensor<F32> place = rows.slice(all(), range(p.lo, p.hi));
      if (set[at]) {
        context.assignAdd(place, product);
      } else {
        context.assign(place, product);
      }
      at = next;
    }
    Arrays.fill(set, p.at, end, true);
  }

  /** Returns the end of the longest run from {@code at} on of equal flags. */
  private static int runEnd(boolean[] set, int at, int end) {
    int next = at;
    while (next < end && set[next] == set[at]) {
      next++;
    }
    return next;
  }

  private boolean covers(Product product) {
    return product.count == count && product.lo == 0 && product.hi == to - from;
  }

  private Expr<F32> product(Product p, int skip, int end) {
    long dim = p.dy.shape().dim(2);
    Expr<F32> rows =
        p.dy
            .slice(range(p.start + (long) skip, p.start + (long) end))
            .reshape((end - skip) * sequences, dim);
    Expr<F32> product = dot(rows, p.w);
    return p.scale == 1 ? product : product.times(p.scale);
  }
}
