package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.kernels.ir.Longs;

/**
 * Concatenation of a few expressions along an axis, inlined as a selection by position; see {@link
 * ConcatCopies} for many parts.
 */
final class Concat<T> extends RExpr<T> {
  /**
   * Maximal number of parts, since each element is compared with the limits of all parts; {@link
   * ConcatCopies} copies more parts one by one.
   */
  static final int MOST_PARTS = 4;

  private final int axis;

  Concat(DType<T> dtype, Shape shape, int axis, List<Expr<T>> parts) {
    super(dtype, shape, parts);
    this.axis = axis;
  }

  int axis() {
    return axis;
  }

  @Override
  protected Object key() {
    return axis;
  }

  @Override
  protected Scalar read(Reads in) {
    Scalar position = in.coordinate(axis);
    long[] before = new long[shape().rank()];
    Scalar result = null;
    long end = shape().at(axis);
    for (int k = inputs().size() - 1; k >= 0; k--) {
      long start = end - inputs().get(k).shape().at(axis);
      before[axis] = start;
      Scalar part = in.through(k, new ViewOp.Pad(Longs.of(before), shape().longs()));
      result = result == null ? part : position.lt(position.constant(end)).select(part, result);
      end = start;
    }
    return result;
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return parts(dy, axis, inputs());
  }

  /** Slices of {@code dy} that belong to the parts. */
  static <T> List<Expr<?>> parts(Expr<T> dy, int axis, List<Expr<?>> parts) {
    var all = new ArrayList<Expr<?>>();
    Slice[] slices = new Slice[axis + 1];
    Arrays.fill(slices, Ops.all());
    long start = 0;
    for (Expr<?> part : parts) {
      long end = start + part.shape().at(axis);
      slices[axis] = Ops.range(start, end);
      all.add(dy.slice(slices));
      start = end;
    }
    return all;
  }

  @Override
  public String toString() {
    return "concat";
  }
}
