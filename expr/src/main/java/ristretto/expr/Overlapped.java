package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import ristretto.kernels.ir.Longs;

/**
 * Overlap-add of sliding windows at their original positions: the gradient of windows. One kernel
 * per residue of positions modulo the strides; each element sums the windows that contain it.
 */
final class Overlapped<T> extends LExpr<T> {
  private record Key(ViewOp.Windows windows, Shape shape) {}

  private final ViewOp.Windows op;

  Overlapped(Shape shape, ViewOp.Windows op, Expr<T> windows) {
    super(windows.dtype(), shape, windows);
    this.op = op;
  }

  @Override
  protected Object key() {
    return new Key(op, shape());
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return List.of(new View<>(dy, op));
  }

  @Override
  protected void prepare(Assignment assignment) {
    assignment.requireMemory(inputs().get(0));
  }

  @Override
  protected void execute(Assignment assignment, LValue<T> target) {
    @SuppressWarnings("unchecked")
    var to = (Tensor<T>) target;
    @SuppressWarnings("unchecked")
    Tensor<T> windows = assignment.memory((Expr<T>) inputs().get(0));
    int n = op.sizes().size();
    long[] residue = new long[n];
    do {
      Slice[] slices = new Slice[shape().rank()];
      Arrays.fill(slices, Ops.all());
      for (int a = 0; a < n; a++) {
        slices[slices.length - n + a] = Ops.from(residue[a], op.strides().get(a));
      }
      Tensor<T> part = to.slice(slices);
      if (part.shape().size() > 0) {
        assignment.assign(part, sum(windows, residue, part.shape()));
      }
    } while (next(residue, op.strides()));
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
  private Expr<T> sum(Tensor<T> windows, long[] residue, Shape part) {
    long[] place = new long[residue.length];
    Expr<T> sum = null;
    do {
      Expr<T> term = term(windows, residue, place, part);
      if (term != null) {
        sum = sum == null ? term : sum.plus(term);
      }
    } while (next(place, op.sizes()));
    return sum == null ? Scalars.literal(dtype(), 0) : sum;
  }

  /**
   * Elements at one position of all windows, padded to the result's positions; null if the position
   * contributes nothing to this residue.
   */
  private Expr<T> term(Tensor<T> windows, long[] residue, long[] place, Shape part) {
    int n = residue.length;
    int lead = shape().rank() - n;
    Slice[] slices = new Slice[lead + 2 * n];
    Arrays.fill(slices, Ops.all());
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
      long to = Math.min(part.at(lead + a), op.dims().get(lead + a) - shift);
      if (from >= to) {
        return null;
      }
      slices[lead + a] = Ops.range(from + shift, to + shift);
      slices[lead + n + a] = Ops.at(place[a]);
      before[lead + a] = from;
    }
    Expr<T> term = windows.slice(slices);
    return term.shape().equals(part) ? term : Pad.zeros(term, before, part);
  }

  @Override
  public String toString() {
    return "windows added up";
  }
}
