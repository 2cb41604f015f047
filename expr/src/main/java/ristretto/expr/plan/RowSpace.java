package ristretto.expr.plan;

import java.util.Arrays;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.Term;
import ristretto.expr.index.IndexMap;
import ristretto.expr.index.ViewChain;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.Shape;
import ristretto.kernels.ir.Longs;

/**
 * Iteration space of a row kernel: kept extents number the rows, reduced extents the elements of a
 * row. Decides which reductions are over exactly these rows.
 */
final class RowSpace {
  private final long[] kept;
  private final Longs all;
  private final long rowLength;

  RowSpace(long[] kept, long[] reduced) {
    this.kept = kept;
    long[] dims = Arrays.copyOf(kept, kept.length + reduced.length);
    System.arraycopy(reduced, 0, dims, kept.length, reduced.length);
    this.all = Longs.of(dims);
    this.rowLength = Longs.of(reduced).product();
  }

  Longs extents() {
    return all;
  }

  int keptRank() {
    return kept.length;
  }

  /** Index map from each point of the space to its row number. */
  IndexMap rowNumber() {
    long[] strides = Arrays.copyOf(IndexMap.contiguousStrides(kept), all.size());
    return IndexMap.of(all.toArray(), strides, 0);
  }

  long rowCount() {
    return Longs.of(kept).product();
  }

  long rowLength() {
    return rowLength;
  }

  /** View from the kept dims (row results) to the whole space. */
  ViewChain fromRowShape() {
    long[] ones = Arrays.copyOf(kept, all.size());
    Arrays.fill(ones, kept.length, ones.length, 1);
    return new ViewChain(
        new ViewOp.Reshape(Longs.of(ones)), new ViewChain(new ViewOp.Expand(all), null));
  }

  /**
   * Returns true if {@code l}, read through {@code chain} and then {@code base}, is a reduction
   * whose value at each point of this space is the result of that point's row.
   */
  boolean reduces(Term l, ViewChain chain, ViewChain base) {
    return l.operation() instanceof Reduce r
        && r.reducedSize(l.operand(0).shape()) == rowLength
        && l.shape().size() == rowCount()
        && isRowNumber(ViewChain.apply(chain, base, IndexMap.contiguous(l.shape().toArray())));
  }

  private boolean isRowNumber(IndexMap map) {
    if (map == null || map.offset != 0 || map.bounded()) {
      return false;
    }
    long[] rowStrides = IndexMap.contiguousStrides(kept);
    for (int d = 0; d < all.size(); d++) {
      long wanted = d < kept.length ? rowStrides[d] : 0;
      if (all.get(d) > 1 && map.strides[d] != wanted) {
        return false;
      }
    }
    return true;
  }

  /** View through which the input of such a reduction is read over this space. */
  ViewChain inputChain(Term reduction) {
    var toSpace = new ViewOp.Reshape(all);
    ViewOp.Permute order =
        ((Reduce) reduction.operation()).keptThenReduced(reduction.operand(0).shape());
    ViewChain chain = order.dims().equals(all) ? null : new ViewChain(toSpace, null);
    return isIdentity(order) ? chain : new ViewChain(order, chain);
  }

  private static boolean isIdentity(ViewOp.Permute p) {
    for (int d = 0; d < p.axes().size(); d++) {
      if (p.axes().get(d) != d) {
        return false;
      }
    }
    return true;
  }

  /**
   * Row space in which {@code r}, read through {@code chain} by a kernel over {@code target}, is a
   * reduction of the kernel's rows.
   */
  sealed interface Fit {
    /** Elements of {@code target} are rows; the row elements are the reduction's own. */
    record PerRow(RowSpace space) implements Fit {}

    /** Elements of {@code target}, permuted, are the elements of the rows. */
    record PerElement(RowSpace space, ViewOp.Permute order) implements Fit {}

    record None() implements Fit {}
  }

  static Fit fit(Term r, ViewChain chain, Shape target) {
    IndexMap map = ViewChain.apply(chain, IndexMap.contiguous(r.shape().toArray()));
    if (map == null || map.offset != 0 || map.bounded()) {
      return new Fit.None();
    }
    long[] dims = target.toArray();
    if (map.sameElements(IndexMap.contiguous(dims))) {
      return new Fit.PerRow(
          new RowSpace(dims, ((Reduce) r.operation()).reducedDims(r.operand(0).shape())));
    }
    if (target.size() != r.operand(0).shape().size()) {
      return new Fit.None();
    }
    // Axes along which the result is broadcast belong to the row; their product must be the reduced
    // size.
    int rank = dims.length;
    int[] order = new int[rank];
    int keptCount = 0;
    for (int d = 0; d < rank; d++) {
      if (map.strides[d] != 0) {
        order[keptCount++] = d;
      }
    }
    int n = keptCount;
    for (int d = 0; d < rank; d++) {
      if (map.strides[d] == 0) {
        order[n++] = d;
      }
    }
    long[] permuted = new long[rank];
    long[] axes = new long[rank];
    for (int d = 0; d < rank; d++) {
      permuted[d] = dims[order[d]];
      axes[d] = order[d];
    }
    var space =
        new RowSpace(
            Arrays.copyOf(permuted, keptCount), Arrays.copyOfRange(permuted, keptCount, rank));
    var permute = new ViewOp.Permute(Longs.of(axes), Longs.of(permuted));
    return space.reduces(r, chain, new ViewChain(permute, null))
        ? new Fit.PerElement(space, permute)
        : new Fit.None();
  }
}
