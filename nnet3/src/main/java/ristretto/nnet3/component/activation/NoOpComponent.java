package ristretto.nnet3.component.activation;

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
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Identity, {@code y = x}; the backward pass multiplies by a factor. */
public final class NoOpComponent extends ComponentBase {
  private int dim;
  private float backpropScale = 1;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    dim = line.positive("dim");
    backpropScale = line.real("backprop-scale", 1);
  }

  @Override
  public void fields(Fields f) {
    dim = f.positive("<Dim>", dim);
    if (f.optional("<ValueAvg>", false)) {
      oldFields(f);
    } else {
      backpropScale = f.real("<BackpropScale>", backpropScale);
    }
  }

  /** Skips the fields of older files, in which the type was a nonlinearity with statistics. */
  private static void oldFields(Fields f) {
    f.doubles(null);
    f.token("<DerivAvg>");
    f.doubles(null);
    f.longReal("<Count>", 0);
    if (f.optional("<OderivRms>", false)) {
      f.doubles(null);
      f.longReal("<OderivCount>", 0);
    }
    f.oldReal("<NumDimsSelfRepaired>");
    f.oldReal("<NumDimsProcessed>");
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE);
  }

  @Override
  public InfoText infoText() {
    return new InfoText(type()).add("dim", dim).unless(1, "backprop-scale", backpropScale);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.x();
  }

  @Override
  public float backwardFactor() {
    return backpropScale;
  }

  @Override
  public void backward(BackwardStep b) {
    b.input(backpropScale == 1 ? b.dy() : b.dy().times(backpropScale));
  }

  @Override
  public float factor() {
    return 1;
  }
}
