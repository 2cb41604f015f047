package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.graph.Constant;
import ristretto.expr.graph.Pad;
import ristretto.expr.graph.Pointwise;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.index.ViewOp;
import ristretto.expr.recording.Update;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.Op;

/**
 * Sums of overlapping windows at their positions: one kernel per residue of positions modulo the
 * strides, in which each element sums the windows that contain it.
 */
final class WindowSums {
  private final ViewOp.Windows op;
  private final StorageView windows;
  private final StorageView to;

  WindowSums(ViewOp.Windows op, StorageView windows, StorageView to) {
    this.op = op;
    this.windows = windows;
    this.to = to;
  }

  /** Assignments that fill the target, one per residue of positions modulo the strides. */
  List<Update> parts() {
    var parts = new ArrayList<Update>();
    int n = op.sizes().size();
    long[] residue = new long[n];
    do {
      Slice[] slices = new Slice[to.shape().rank()];
      Arrays.fill(slices, Slice.all());
      for (int a = 0; a < n; a++) {
        slices[slices.length - n + a] = Slice.from(residue[a], op.strides().get(a));
      }
      StorageView part = to.slice(slices);
      if (part.shape().size() > 0) {
        parts.add(new Update(part, sum(residue, part.shape())));
      }
    } while (next(residue, op.strides()));
    return parts;
  }

  /** Increments the counter; returns false after the last value. */
  private static boolean next(long[] counter, Longs ends) {
    for (int a = counter.length - 1; a >= 0; a--) {
      if (++counter[a] < ends.get(a)) {
        return true;
      }
      counter[a] = 0;
    }
    return false;
  }

  /** Sum over all positions within a window, for the elements {@code residue + stride j}. */
  private Term sum(long[] residue, Shape part) {
    long[] place = new long[residue.length];
    Term sum = null;
    do {
      Term term = term(residue, place, part);
      if (term != null) {
        sum = sum == null ? term : plus(sum, term);
      }
    } while (next(place, op.sizes()));
    return sum == null ? Constant.literal(to.dtype(), 0) : sum;
  }

  /**
   * Elements at one position of all windows, padded to the result's positions; null if the position
   * contributes nothing to this residue.
   */
  private Term term(long[] residue, long[] place, Shape part) {
    int n = residue.length;
    int lead = to.shape().rank() - n;
    Slice[] slices = new Slice[lead + 2 * n];
    Arrays.fill(slices, Slice.all());
    long[] before = new long[part.rank()];
    for (int a = 0; a < n; a++) {
      long stride = op.strides().get(a);
      long back = residue[a] - place[a] * op.dilations().get(a);
      if (Math.floorMod(back, stride) != 0) {
        return null;
      }
      // Element j comes from window j + shift.
      long shift = Math.floorDiv(back, stride);
      long from = Math.max(0, -shift);
      long end = Math.min(part.at(lead + a), op.dims().get(lead + a) - shift);
      if (from >= end) {
        return null;
      }
      slices[lead + a] = Slice.range(from + shift, end + shift);
      slices[lead + n + a] = Slice.at(place[a]);
      before[lead + a] = from;
    }
    Term term = Term.of(windows.slice(slices));
    if (term.shape().equals(part)) {
      return term;
    }
    Term zero = Constant.filled(to.dtype(), Shape.SCALAR, 0);
    var pad = new ViewOp.Pad(Longs.of(before), part.longs());
    return Term.of(new Pad(pad), to.dtype(), part, term, zero);
  }

  private static Term plus(Term a, Term b) {
    return Term.of(Pointwise.of(Op.ADD), a.dtype(), a.shape(), a, b);
  }
}
