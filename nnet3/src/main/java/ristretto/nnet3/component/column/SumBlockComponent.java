package ristretto.nnet3.component.column;

import static ristretto.expr.Ops.sum;
import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.PROPAGATE_ADDS;
import static ristretto.nnet3.Property.SIMPLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.ForwardStep;

/** Scaled sum of the column blocks of the input. */
public final class SumBlockComponent extends BlockComponent {
  private float scale = 1;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    scale = line.real("scale", 1);
  }

  @Override
  public void fields(Fields f) {
    super.fields(f);
    scale = f.real("<Scale>", scale);
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, PROPAGATE_ADDS, BACKPROP_ADDS);
  }

  @Override
  public InfoText infoText() {
    return super.infoText().add("scale", scale);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    Expr<F32> x = f.x();
    long blocks = inputDim / outputDim;
    Expr<F32> sums = sum(x.reshape(x.shape().dim(0), x.shape().dim(1), blocks, outputDim), 2);
    return sums.times(scale);
  }
}
