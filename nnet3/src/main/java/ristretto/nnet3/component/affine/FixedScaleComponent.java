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

/** Fixed scale, not trained: {@code y = x * s}. */
public final class FixedScaleComponent extends ComponentBase {
  public float[] scales;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    if (line.has("scales")) {
      scales = ConfigParameters.readVector(line, "scales");
      return;
    }
    int dim = line.positive("dim");
    float stddev = line.has("scale") ? 0 : 1;
    scales = gaussian(random, dim, line.real("scale", 0), stddev);
  }

  @Override
  public void fields(Fields f) {
    scales = f.vector("<Scales>", scales);
    f.check(scales.length > 0, "<Scales> must have elements", "none");
  }

  @Override
  public int inputDim() {
    return scales.length;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE);
  }

  @Override
  public InfoText infoText() {
    return super.infoText().stats("scales", scales);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.x().times(f.vector(scales));
  }
}
