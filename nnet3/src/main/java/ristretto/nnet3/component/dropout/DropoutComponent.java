package ristretto.nnet3.component.dropout;

import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_OUTPUT;
import static ristretto.nnet3.Property.RANDOM;
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

/**
 * Dropout: {@code y = x * mask}, with a mask of 0 for a random proportion of the elements, or of
 * the rows, and 1 elsewhere; in test mode {@code y = x * (1 - proportion)}.
 */
public final class DropoutComponent extends RandomComponent {
  private int dim;
  private float proportion;
  private boolean perFrame;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    dim = line.positive("dim");
    line.string("dropout-proportion");
    proportion = proportion(line, "dropout-proportion", 0);
    perFrame = line.flag("dropout-per-frame", false);
    testMode = line.flag("test-mode", false);
  }

  @Override
  public void fields(Fields f) {
    dim = f.positive("<Dim>", dim);
    proportion = f.real("<DropoutProportion>", proportion);
    perFrame = f.optional("<DropoutPerFrame>", true) && f.flag(perFrame);
    testMode = f.optional("<TestMode>", true) && f.flag(testMode);
  }

  @Override
  public boolean setDropoutProportion(float value) {
    proportion = value;
    return true;
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(
        SIMPLE, RANDOM, BACKPROP_IN_PLACE, BACKPROP_NEEDS_INPUT, BACKPROP_NEEDS_OUTPUT);
  }

  @Override
  public InfoText infoText() {
    return new InfoText(type())
        .add("dim", dim)
        .add("dropout-proportion", proportion)
        .add("dropout-per-frame", perFrame);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    if (testMode) {
      return f.x().times(1.0 - proportion);
    }
    if (proportion == 0) {
      return f.x();
    }
    Expr<F32> x = f.x();
    return where(f.randomRows(perFrame ? 1 : dim).lt(proportion), 0, x);
  }

  @Override
  public boolean isRandomNow() {
    return !testMode && proportion != 0;
  }

  @Override
  public float factor() {
    return testMode ? 1 - proportion : proportion == 0 ? 1 : Float.NaN;
  }
}
