package ristretto.symbolic;

import ristretto.expr.Expr;
import ristretto.expr.Ops;

/** How the losses of all rows become one: gradients follow. */
public enum Summary {
  /** Their mean. */
  MEAN,
  /** Their sum. */
  SUM,
  /** They stay apart, to be weighted: {@code sum(losses.times(weights))}. */
  NONE;

  <T> Expr<T> of(Expr<T> each) {
    return switch (this) {
      case MEAN -> Ops.mean(each);
      case SUM -> Ops.sum(each);
      case NONE -> each;
    };
  }
}
