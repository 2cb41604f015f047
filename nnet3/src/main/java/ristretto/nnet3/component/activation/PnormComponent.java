package ristretto.nnet3.component.activation;

import static ristretto.expr.Ops.sqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.SIMPLE;

import java.util.EnumSet;
import java.util.Set;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.column.BlockComponent;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Euclidean norm of each group of adjacent columns. */
public final class PnormComponent extends BlockComponent {
  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, BACKPROP_NEEDS_INPUT, BACKPROP_NEEDS_OUTPUT);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    Expr<F32> x = f.x();
    long group = inputDim / outputDim;
    Expr<F32> groups = x.reshape(x.shape().dim(0), x.shape().dim(1), outputDim, group);
    return sqrt(sum(square(groups), 3));
  }

  @Override
  public void backward(BackwardStep b) {
    Expr<F32> x = b.forward().x();
    long places = x.shape().dim(0);
    long sequences = x.shape().dim(1);
    long group = inputDim / outputDim;
    Expr<F32> y = b.y().reshape(places, sequences, outputDim, 1);
    Expr<F32> slope = where(y.eq(0), 0, b.dy().reshape(places, sequences, outputDim, 1).div(y));
    Expr<F32> dx = x.reshape(places, sequences, outputDim, group).times(slope);
    b.input(dx.reshape(places, sequences, inputDim));
  }
}
