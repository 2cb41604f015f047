package ristretto.nnet3.component.affine;

import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.SIMPLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.ConfigParameters;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.ForwardStep;

/** Fixed bias, not trained: {@code y = x + b}. */
public final class FixedBiasComponent extends ComponentBase {
  float[] bias;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    bias =
        line.has("bias")
            ? ConfigParameters.readVector(line, "bias")
            : gaussian(random, line.positive("dim"), 0, 1);
  }

  @Override
  public void fields(Fields f) {
    bias = f.vector("<Bias>", bias);
    f.check(bias.length > 0, "<Bias> must have elements", "none");
  }

  @Override
  public int inputDim() {
    return bias.length;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE);
  }

  @Override
  public InfoText infoText() {
    return super.infoText().stats("bias", bias);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.x().plus(f.vector(bias));
  }
}
