package ristretto.nnet3.component.activation;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.sigmoid;
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

/** Logistic sigmoid: {@code y = 1 / (1 + exp(-x))}. */
public final class SigmoidComponent extends NonlinearComponent {
  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, BACKPROP_NEEDS_OUTPUT, PROPAGATE_IN_PLACE, STORES_STATS);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return sigmoid(f.x());
  }

  @Override
  Expr<F32> slope(Expr<F32> y) {
    return y.times(fill(F32, 1).minus(y));
  }

  @Override
  float lowestSlope() {
    return 0.05f;
  }

  @Override
  boolean alwaysProcesses() {
    return true;
  }

  @Override
  public void backward(BackwardStep b) {
    derivativeStatistics(b);
    Expr<F32> dx = b.dy().times(slope(b.y()));
    b.input(repairs(b) ? dx.minus(b.y().times(2).minus(1).times(repair(b))) : dx);
  }
}
