package ristretto.nnet3.component.column;

import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.SIMPLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.ForwardStep;

/** Element-wise product of the column blocks of the input. */
public final class ElementwiseProductComponent extends BlockComponent {
  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    if (inputDim == outputDim) {
      throw line.error("output-dim", "output-dim must be less than input-dim");
    }
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, BACKPROP_NEEDS_INPUT);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    Expr<F32> product = f.x(0, outputDim);
    for (int from = outputDim; from < inputDim; from += outputDim) {
      product = product.times(f.x(from, from + outputDim));
    }
    return product;
  }
}
