package ristretto.symbolic.layers;

import ristretto.expr.Expr;
import ristretto.expr.Ops;

/** Reduction of the losses of all rows. */
public enum Summary {
  /** Mean of the losses. */
  MEAN,
  /** Sum of the losses. */
  SUM,
  /**
   * No reduction: one loss per row, for example to be weighted: {@code sum(losses.times(weights))}.
   */
  NONE;

  <T> Expr<T> of(Expr<T> each) {
    return switch (this) {
      case MEAN -> Ops.mean(each);
      case SUM -> Ops.sum(each);
      case NONE -> each;
    };
  }
}
