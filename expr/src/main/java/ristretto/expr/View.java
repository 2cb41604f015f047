package ristretto.expr;

/** Another expression under a change of index; its own elements are never copied for it. */
class View<T> extends RExpr<T> {
  private final ViewOp op;

  View(Expr<T> of, ViewOp op) {
    super(of.dtype(), Shape.of(op.dims()), of);
    this.op = op;
  }

  ViewOp op() {
    return op;
  }

  @Override
  protected Object key() {
    return op;
  }

  @Override
  protected Scalar read(Reads in) {
    return in.through(0, op);
  }

  @Override
  public String toString() {
    return op.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT) + " to " + shape();
  }
}
