package ristretto.nnet3.component.activation;

import static ristretto.expr.Ops.exp;
import static ristretto.expr.Ops.logSoftmax;
import static ristretto.expr.Ops.sum;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.STORES_STATS;

import java.util.EnumSet;
import java.util.Set;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.StatisticsSink;

/** Log-softmax of each row: {@code y = x - log(sum(exp(x)))}. */
public final class LogSoftmaxComponent extends NonlinearComponent {
  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, BACKPROP_NEEDS_OUTPUT, STORES_STATS);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return logSoftmax(f.x(), 2);
  }

  @Override
  public void backward(BackwardStep b) {
    derivativeStatistics(b);
    Expr<F32> dy = b.dyForSeveral();
    b.input(dy.minus(exp(b.y()).times(sum(dy, 2).keepDims())));
  }

  /** Stores no statistics, although the type has {@link Property#STORES_STATS}, as in Kaldi. */
  @Override
  public void statistics(ForwardStep f, Expr<F32> y, StatisticsSink sink) {}
}
