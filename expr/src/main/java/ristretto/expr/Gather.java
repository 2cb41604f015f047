package ristretto.expr;

import java.util.Arrays;
import java.util.List;

/** Gather of source elements at positions from an index tensor along one axis. */
final class Gather<T> extends RExpr<T> {
  private final int axis;
  private final boolean along;

  /**
   * Creates a gather.
   *
   * @param along true for takeAlongAxis (the index has the result's shape); false for take (the
   *     index's shape replaces the axis)
   */
  Gather(Expr<T> source, Expr<?> indices, Shape shape, int axis, boolean along) {
    super(source.dtype(), shape, source, indices);
    this.axis = axis;
    this.along = along;
  }

  int axis() {
    return axis;
  }

  boolean along() {
    return along;
  }

  @Override
  protected Object key() {
    return (along ? "along " : "take ") + axis;
  }

  @Override
  protected Scalar read(Reads in) {
    return in.gather(0, 1, axis, along);
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    Shape from = inputs().get(0).shape();
    return Arrays.asList(new Scatter<>(from, axis, along, inputs().get(1), dy), null);
  }

  @Override
  public String toString() {
    return along ? "takeAlongAxis" : "take";
  }
}
