package ristretto.expr;

import java.util.List;
import ristretto.kernels.ir.Longs;

/** Padding of an expression with a second, scalar expression. */
final class Pad<T> extends RExpr<T> {
  private final ViewOp.Pad op;

  Pad(Expr<T> of, ViewOp.Pad op, Expr<T> fill) {
    super(of.dtype(), Shape.of(op.dims()), of, fill);
    this.op = op;
  }

  /** Pads with zeros to {@code shape}. */
  static <T> Expr<T> zeros(Expr<T> of, long[] before, Shape shape) {
    var op = new ViewOp.Pad(Longs.of(before), shape.longs());
    return new Pad<>(of, op, Scalars.filled(of.dtype(), Shape.SCALAR, 0));
  }

  ViewOp.Pad op() {
    return op;
  }

  @Override
  protected Object key() {
    return op;
  }

  private boolean isWidened(int d) {
    return op.before().get(d) != 0 || inputs().get(0).shape().at(d) != shape().at(d);
  }

  /**
   * Limits of the input within the result, as launch scalars, so that paddings of other amounts
   * share the kernel.
   */
  @Override
  protected void scalars(ScalarSink sink) {
    Shape inner = inputs().get(0).shape();
    for (int d = 0; d < inner.rank(); d++) {
      if (isWidened(d)) {
        sink.add(op.before().get(d));
        sink.add(op.before().get(d) + inner.at(d));
      }
    }
  }

  @Override
  protected Scalar read(Reads in) {
    Scalar inside = null;
    int number = 0;
    for (int d = 0; d < shape().rank(); d++) {
      if (isWidened(d)) {
        Scalar i = in.coordinate(d);
        Scalar valid = i.ge(in.number(number++)).and(i.lt(in.number(number++)));
        inside = inside == null ? valid : inside.and(valid);
      }
    }
    Scalar value = in.through(0, op);
    return inside == null ? value : inside.select(value, in.input(1));
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    Expr<T> inside = View.gradient(op, inputs().get(0).shape(), dy);
    Expr<T> fill = ReductionOps.sum(dy).minus(ReductionOps.sum(inside));
    return List.of(inside, fill.expand(inputs().get(1).shape().toArray()));
  }

  @Override
  public String toString() {
    return "pad";
  }
}
