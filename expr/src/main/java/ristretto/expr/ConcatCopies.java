package ristretto.expr;

import java.util.List;

/**
 * Concatenation of many expressions along an axis: each part is assigned to its slice of the
 * target.
 */
final class ConcatCopies<T> extends LExpr<T> {
  private final int axis;

  ConcatCopies(DType<T> dtype, Shape shape, int axis, List<Expr<T>> parts) {
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
  protected void prepare(Assignment assignment) {
    inputs().forEach(assignment::requireChecked);
  }

  @Override
  protected void execute(Assignment assignment, LValue<T> target) {
    Tensor<?> to = (Tensor<?>) target;
    Slice[] slices = new Slice[axis + 1];
    java.util.Arrays.fill(slices, new Slice(null, null, 1, false));
    long start = 0;
    for (Expr<?> part : inputs()) {
      long end = start + part.shape().at(axis);
      slices[axis] = new Slice(start, end, 1, false);
      new Assignment(assignment.plan(), to.slice(slices), part).run();
      start = end;
    }
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return Concat.parts(dy, axis, inputs());
  }

  @Override
  public String toString() {
    return "concat of " + inputs().size();
  }
}
