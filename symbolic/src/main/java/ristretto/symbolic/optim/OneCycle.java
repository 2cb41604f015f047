package ristretto.symbolic.optim;

import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;

/** One-cycle schedule of learning rate and momentum; see {@link Schedule#oneCycle}. */
record OneCycle(double largest, long steps) implements Schedule {
  private static final double RISING = 0.3;
  private static final double FIRST_DIVISOR = 25;
  private static final double LAST_DIVISOR = 1e4;
  private static final double LEAST_MOMENTUM = 0.85;
  private static final double LARGEST_MOMENTUM = 0.95;

  @Override
  public Expr<F32> rate(Expr<F32> step) {
    double first = largest / FIRST_DIVISOR;
    return cycle(step, first, largest, first / LAST_DIVISOR);
  }

  @Override
  public Optional<Expr<F32>> momentum(Expr<F32> step) {
    return Optional.of(cycle(step, LARGEST_MOMENTUM, LEAST_MOMENTUM, LARGEST_MOMENTUM));
  }

  private Expr<F32> cycle(Expr<F32> step, double first, double middle, double last) {
    double top = RISING * steps - 1;
    double end = steps - 1.0;
    return Ops.where(
        step.le(top),
        cosine(first, middle, step.div(top)),
        cosine(middle, last, Ops.min(step.minus(top).div(end - top), 1.0)));
  }

  /** Half a cosine from one value to another, at a share of the way. */
  private static Expr<F32> cosine(double from, double to, Expr<F32> share) {
    return Ops.cos(share.times(Math.PI)).plus(1).times((from - to) / 2).plus(to);
  }
}
