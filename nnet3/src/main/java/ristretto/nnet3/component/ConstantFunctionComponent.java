package ristretto.nnet3.component;

import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Property;
import ristretto.nnet3.forward.Backward;
import ristretto.nnet3.forward.Forward;

/** {@code y = b} in each row, whatever the input. */
final class ConstantFunctionComponent extends UpdatableComponent {
  private int inputDim;
  float[] output;
  private boolean isUpdatable = true;
  private boolean useNaturalGradient = true;

  @Override
  void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    int outputDim = line.positive("output-dim");
    inputDim = line.positive("input-dim");
    isUpdatable = line.flag("is-updatable", true);
    useNaturalGradient = line.flag("use-natural-gradient", true);
    float mean = line.real("output-mean", 0);
    output = gaussian(random, outputDim, mean, line.real("output-stddev", 0));
  }

  @Override
  void fields(Fields f) {
    updatableFields(f);
    inputDim = f.positive("<InputDim>", inputDim);
    output = f.vector("<Output>", output);
    f.check(output.length > 0, "<Output> must have elements", "none");
    isUpdatable = f.flag("<IsUpdatable>", isUpdatable);
    useNaturalGradient = f.flag("<UseNaturalGradient>", useNaturalGradient);
  }

  @Override
  void blend(Blend blend, Component o) {
    if (isUpdatable) {
      output = blend.of(output, ((ConstantFunctionComponent) o).output);
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
  public int inputDim() {
    return inputDim;
  }

  @Override
  public int outputDim() {
    return output.length;
  }

  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(SIMPLE, BACKPROP_ADDS);
    if (isUpdatable) {
      all.add(UPDATABLE);
    }
    if (inputDim == output.length) {
      all.add(PROPAGATE_IN_PLACE);
    }
    return all;
  }

  @Override
  public Preconditioning rowPreconditioning() {
    return useNaturalGradient ? new Preconditioning(MANY, 1, SAMPLES_HISTORY, ALPHA) : null;
  }

  @Override
  InfoText infoText() {
    return super.infoText()
        .raw(", " + type())
        .add("input-dim", inputDim)
        .add("output-dim", output.length)
        .add("is-updatable", isUpdatable)
        .add("use-natural-gradient", useNaturalGradient)
        .stats("output", output);
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
