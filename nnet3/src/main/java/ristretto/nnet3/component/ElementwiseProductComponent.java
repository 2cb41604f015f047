package ristretto.nnet3.component;

import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.SIMPLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Property;
import ristretto.nnet3.forward.Forward;

/** Element-wise product of the column blocks of the input. */
final class ElementwiseProductComponent extends BlockComponent {
  @Override
  void init(ConfigLine line, RandomGenerator random) {
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
  public Expr<F32> forward(Forward f) {
    Expr<F32> product = f.x(0, outputDim);
    for (int from = outputDim; from < inputDim; from += outputDim) {
      product = product.times(f.x(from, from + outputDim));
    }
    return product;
  }
}
