package ristretto.symbolic.layers.operator;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.symbolic.graph.FormulaOperator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;

/**
 * Cache of keys or values, {@code [batch, heads, longest, d]}, with new rows from a position on.
 */
public final class CacheRows<T> extends FormulaOperator<T> {
  private final String layer;
  private final Variable<T> cache;
  private final Variable<T> fresh;
  private final Variable<I32> position;

  /**
   * Creates the operator.
   *
   * @param layer name of the layer, for messages
   * @param cache rows of earlier steps, with a known number of rows
   * @param fresh new rows, {@code [batch, heads, steps, d]}
   * @param position place of the first new row, {@code [1]}
   */
  public CacheRows(String layer, Variable<T> cache, Variable<T> fresh, Variable<I32> position) {
    super(
        cache.name() + ".next",
        cache.dtype(),
        x -> rows(x, cache, fresh, position),
        List.of(cache, fresh, position));
    this.layer = layer;
    this.cache = cache;
    this.fresh = fresh;
    this.position = position;
  }

  private static <T> Expr<T> rows(
      Values x, Variable<T> cache, Variable<T> fresh, Variable<I32> position) {
    long steps = x.get(fresh).shape().dim(2);
    Expr<I64> at =
        Ops.coordinate(Shape.of(cache.dims().at(2)), 0)
            .minus(x.get(position).cast(Ops.I64).reshape(1));
    Expr<I64> row = Ops.where(at.lt(0), 0, Ops.where(at.ge(steps), steps - 1, at));
    Expr<BOOL> isNew = at.ge(0).and(at.lt(steps)).unsqueeze(1);
    return Ops.where(isNew, Ops.take(x.get(fresh), row, 2), x.get(cache));
  }

  @Override
  protected void forward(OperatorContext x) {
    long longest = cache.dims().at(2);
    long steps = x.get(fresh).shape().dim(2);
    x.limit(
        position,
        longest - steps,
        at ->
            ("[%s] the cache must have room for the new steps; got position %s and %s new steps for"
                    + " a cache of %s; make the cache longer, or begin again.")
                .formatted(layer, at, steps, longest));
    super.forward(x);
  }
}
