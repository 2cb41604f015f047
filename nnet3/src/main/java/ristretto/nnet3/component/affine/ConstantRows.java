package ristretto.nnet3.component.affine;

import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Base class of components whose output rows are all equal to the parameters. */
abstract class ConstantRows extends UpdatableComponent {
  float[] output;
  boolean isUpdatable = true;
  private boolean useNaturalGradient = true;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    int outputDim = line.positive("output-dim");
    isUpdatable = line.flag("is-updatable", true);
    useNaturalGradient = line.flag("use-natural-gradient", true);
    float mean = line.real("output-mean", 0);
    output = gaussian(random, outputDim, mean, line.real("output-stddev", 0));
  }

  /** Reads or writes the fields after those of the subclass. */
  void rowFields(Fields f) {
    output = f.vector("<Output>", output);
    f.check(output.length > 0, "<Output> must have elements", "none");
    isUpdatable = f.flag("<IsUpdatable>", isUpdatable);
    useNaturalGradient = f.flag("<UseNaturalGradient>", useNaturalGradient);
  }

  /** Appends the text after that of the subclass. */
  InfoText rowInfo(InfoText info) {
    return info.add("output-dim", output.length)
        .add("is-updatable", isUpdatable)
        .add("use-natural-gradient", useNaturalGradient)
        .stats("output", output);
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    if (isUpdatable) {
      output = blend.of(output, ((ConstantRows) o).output);
    }
  }

  @Override
  public void mapParameters(UnaryOperator<float[]> f) {
    if (isUpdatable) {
      output = f.apply(output);
    }
  }

  @Override
  public long parameterCount() {
    return isUpdatable ? output.length : 0;
  }

  @Override
  public int outputDim() {
    return output.length;
  }

  @Override
  public NaturalGradientSettings rowPreconditioning() {
    return useNaturalGradient ? new NaturalGradientSettings(MANY, 1, SAMPLES_HISTORY, ALPHA) : null;
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.everywhere(f.vector(output));
  }

  @Override
  public void backward(BackwardStep b) {
    if (isUpdatable && b.wantsParameters()) {
      b.rows(output, b.dy());
    }
  }
}
