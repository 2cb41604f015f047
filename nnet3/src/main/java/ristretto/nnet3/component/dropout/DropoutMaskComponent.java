package ristretto.nnet3.component.dropout;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.where;
import static ristretto.nnet3.Property.RANDOM;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.ForwardStep;

/**
 * Dropout mask without input: zeros and ones, or, if continuous, uniform numbers around one. In
 * masks of two or three columns, the first two are never both zero if the proportion is at most
 * 0.5.
 */
public final class DropoutMaskComponent extends RandomComponent {
  private int outputDim;
  private float proportion = 0.5f;
  private boolean continuous;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    outputDim = line.positive("output-dim");
    proportion = proportion(line, "dropout-proportion", 0.5f);
    continuous = line.flag("continuous", false);
    testMode = line.flag("test-mode", false);
  }

  @Override
  public void fields(Fields f) {
    outputDim = f.positive("<OutputDim>", outputDim);
    proportion = f.real("<DropoutProportion>", proportion);
    testMode = f.optional("<TestMode>", true) && f.flag(testMode);
    continuous = f.optional("<Continuous>", continuous);
  }

  @Override
  public boolean setDropoutProportion(float value) {
    proportion = value;
    return true;
  }

  /** Returns the output dimension. The input descriptor is never read; a node may name itself. */
  @Override
  public int inputDim() {
    return outputDim;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(RANDOM);
  }

  @Override
  public List<Index> inputIndexes(Index output) {
    return List.of();
  }

  @Override
  public boolean isComputable(Index output, Predicate<Index> available, Consumer<Index> used) {
    return true;
  }

  @Override
  public InfoText infoText() {
    InfoText info =
        new InfoText(type()).add("output-dim", outputDim).add("dropout-proportion", proportion);
    return continuous ? info.add("continuous", true) : info;
  }

  @Override
  public boolean isRandomNow() {
    return !testMode && proportion != 0;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    long places = f.outputRows().size();
    if (testMode || proportion == 0) {
      double value = testMode && !continuous ? 1.0 - proportion : 1;
      return fill(F32, value, places, f.sequences(), outputDim);
    }
    Expr<F32> draw = f.randomRows(outputDim);
    if (continuous) {
      return draw.times(4.0 * proportion).plus(1 - 2.0 * proportion);
    }
    if (outputDim != 2 && outputDim != 3) {
      return where(draw.lt(proportion), fill(F32, 0), fill(F32, 1));
    }
    // One random number decides the first two columns, so that as few rows as possible lose
    // both.
    Expr<F32> shared = f.with(null).randomRows(1);
    Expr<F32> first = where(shared.lt(proportion), fill(F32, 0), fill(F32, 1));
    Expr<F32> second = where(shared.ge(1.0 - proportion), fill(F32, 0), fill(F32, 1));
    Expr<F32> third =
        where(
            ForwardStep.columns(draw, outputDim - 1L, outputDim).lt(proportion),
            fill(F32, 0),
            fill(F32, 1));
    return outputDim == 2
        ? ForwardStep.append(first, second)
        : ForwardStep.append(List.of(first, second, third));
  }
}
