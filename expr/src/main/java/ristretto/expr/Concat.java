package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.kernels.ir.Longs;

/**
 * A few expressions one after another along an axis, chosen by position; many parts are copied
 * instead.
 */
final class Concat<T> extends RExpr<T> {
  /**
   * Beyond this many parts each element would test too many limits: {@link ConcatCopies} copies
   * part by part.
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

  /** The part of {@code dy} that belongs to each of the parts. */
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
