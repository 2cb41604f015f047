package ristretto.nnet3.component;

import static ristretto.expr.Ops.sum;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.PROPAGATE_ADDS;
import static ristretto.nnet3.Property.SIMPLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Property;
import ristretto.nnet3.forward.Forward;

/** Scaled sum of the column blocks of the input. */
final class SumBlockComponent extends BlockComponent {
  private float scale = 1;

  @Override
  void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    scale = line.real("scale", 1);
  }

  @Override
  void fields(Fields f) {
    super.fields(f);
    scale = f.real("<Scale>", scale);
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, PROPAGATE_ADDS, BACKPROP_ADDS);
  }

  @Override
  InfoText infoText() {
    return super.infoText().add("scale", scale);
  }

  @Override
  public Expr<F32> forward(Forward f) {
    Expr<F32> x = f.x();
    long blocks = inputDim / outputDim;
    Expr<F32> sums = sum(x.reshape(x.shape().dim(0), x.shape().dim(1), blocks, outputDim), 2);
    return sums.times(scale);
  }
}
