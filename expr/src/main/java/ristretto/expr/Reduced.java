package ristretto.expr;

import java.util.List;

/**
 * Result of a reduction without the reduced axes; {@link #keepDims()} restores them with extent 1.
 */
public final class Reduced<T> extends RExpr<T> {
  Reduced(Expr<T> kept, Shape dropped) {
    super(kept.dtype(), dropped, kept);
  }

  /** Result with the reduced axes kept as extents of 1, so that it broadcasts against the input. */
  @SuppressWarnings("unchecked")
  public Expr<T> keepDims() {
    return (Expr<T>) inputs().get(0);
  }

  @Override
  protected Object key() {
    return "reduced";
  }

  @Override
  protected Scalar read(Reads in) {
    return in.through(0, new ViewOp.Reshape(shape().longs()));
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return List.of(dy.reshape(inputs().get(0).shape().toArray()));
  }

  @Override
  public String toString() {
    return keepDims().toString();
  }
}
