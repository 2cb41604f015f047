package ristretto.nnet3.component;

import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.forward.Backward;
import ristretto.nnet3.forward.Forward;

/** Base class of components whose output rows are all equal to the parameters. */
abstract class ConstantRows extends UpdatableComponent {
  float[] output;
  boolean isUpdatable = true;
  private boolean useNaturalGradient = true;

  @Override
  void init(ConfigLine line, RandomGenerator random) {
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
  void blend(Blend blend, Component o) {
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
  public Preconditioning rowPreconditioning() {
    return useNaturalGradient ? new Preconditioning(MANY, 1, SAMPLES_HISTORY, ALPHA) : null;
  }

  @Override
  public Expr<F32> forward(Forward f) {
    return f.everywhere(f.vector(output));
  }

  @Override
  public void backward(Backward b) {
    if (isUpdatable && b.wantsParameters()) {
      b.rows(output, b.dy());
    }
  }
}
