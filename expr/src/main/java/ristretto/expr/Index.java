package ristretto.expr;

/**
 * Index of each element: its coordinate along one axis, or its row-major number if the axis is -1.
 */
final class Index extends RExpr<I64> {
  private final int axis;

  Index(Shape shape, int axis) {
    super(I64.INSTANCE, shape);
    this.axis = axis;
  }

  @Override
  protected Object key() {
    return axis;
  }

  @Override
  protected Scalar read(Reads in) {
    return axis < 0 ? in.elementNumber() : in.coordinate(axis);
  }

  @Override
  public String toString() {
    return axis < 0 ? "elementNumber" : "coordinate(" + axis + ")";
  }
}
