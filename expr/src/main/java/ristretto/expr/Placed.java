package ristretto.expr;

/** Zeros with values at the elements of a view: the gradient of a view that omits elements. */
final class Placed<T> extends LExpr<T> {
  private final ViewOp view;

  Placed(Shape shape, ViewOp view, Expr<T> values) {
    super(values.dtype(), shape, values);
    this.view = view;
  }

  @Override
  protected Object key() {
    return view;
  }

  @Override
  protected void prepare(Assignment assignment) {
    inputs().forEach(assignment::requireChecked);
  }

  @Override
  protected void execute(Assignment assignment, LValue<T> target) {
    Tensor<?> to = (Tensor<?>) target;
    PlanBuilder plan = assignment.plan();
    new Assignment(plan, to, Scalars.literal(to.dtype(), 0)).run();
    new Assignment(plan, to.view(view), inputs().get(0)).run();
  }

  @Override
  @SuppressWarnings("unchecked")
  protected java.util.List<Expr<?>> gradients(Expr<T> dy) {
    return java.util.List.of(dy.view(view));
  }

  @Override
  public String toString() {
    return "placed in zeros";
  }
}
