package ristretto.symbolic.optim;

import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;

/** Schedule with linear warm-up from 0 over the first steps; see {@link Schedule#warmUp}. */
record WarmUp(Schedule schedule, long steps) implements Schedule {
  @Override
  public Expr<F32> rate(Expr<F32> step) {
    return schedule.rate(step).times(Ops.min(step.plus(1).div(steps), 1.0));
  }

  @Override
  public Optional<Expr<F32>> momentum(Expr<F32> step) {
    return schedule.momentum(step);
  }
}
