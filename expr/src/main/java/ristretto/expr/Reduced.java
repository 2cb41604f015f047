package ristretto.expr;

import java.util.List;
import ristretto.expr.graph.Formula.DropAxes;
import ristretto.expr.type.RValue;
import ristretto.expr.type.Shape;

/**
 * Result of a reduction without the reduced axes; {@link #keepDims()} restores them with extent 1.
 */
public final class Reduced<T> extends Expr<T> implements RValue<T> {
  Reduced(Expr<T> kept, Shape dropped) {
    super(new DropAxes(), kept.dtype(), dropped, List.of(kept));
  }

  /** Result with the reduced axes kept as extents of 1, so that it broadcasts against the input. */
  @SuppressWarnings("unchecked")
  public Expr<T> keepDims() {
    return (Expr<T>) inputs().get(0);
  }
}
