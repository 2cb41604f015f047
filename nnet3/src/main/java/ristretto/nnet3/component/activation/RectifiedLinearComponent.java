package ristretto.nnet3.component.activation;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.relu;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.INPUT_CONTIGUOUS;
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

/** Rectified linear unit: {@code y = max(0, x)}. */
public final class RectifiedLinearComponent extends NonlinearComponent {
  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(SIMPLE, BACKPROP_NEEDS_OUTPUT, PROPAGATE_IN_PLACE, STORES_STATS);
    if (blockDim != dim) {
      all.add(INPUT_CONTIGUOUS);
    }
    return all;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return relu(f.x());
  }

  @Override
  Expr<F32> slope(Expr<F32> y) {
    return where(y.gt(0), fill(F32, 1), fill(F32, 0));
  }

  @Override
  float lowestSlope() {
    return 0.05f;
  }

  @Override
  float highestSlope() {
    return 0.95f;
  }

  @Override
  public void backward(BackwardStep b) {
    derivativeStatistics(b);
    Expr<F32> dx = where(b.y().gt(0), b.dy(), 0);
    b.input(repairs(b) ? dx.plus(repair(b)) : dx);
  }
}
