package ristretto.nnet3.component.activation;

import static ristretto.expr.Ops.max;
import static ristretto.expr.Ops.softmax;
import static ristretto.expr.Ops.sum;
import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.STORES_STATS;

import java.util.EnumSet;
import java.util.Set;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Softmax of each row, floored: {@code y = max(exp(x) / sum(exp(x)), 1e-20)}. */
public final class SoftmaxComponent extends NonlinearComponent {
  @Override
  public Set<Property> properties() {
    return EnumSet.of(
        SIMPLE, PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE, BACKPROP_NEEDS_OUTPUT, STORES_STATS);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return max(softmax(f.x(), 2), 1e-20f);
  }

  @Override
  public void backward(BackwardStep b) {
    derivativeStatistics(b);
    Expr<F32> dy = b.dyForSeveral();
    b.input(b.y().times(dy.minus(sum(b.y().times(dy), 2).keepDims())));
  }
}
