package ristretto.nnet3.component;

import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Index;
import ristretto.nnet3.Property;
import ristretto.nnet3.forward.Backward;
import ristretto.nnet3.forward.Forward;

/** {@code y = b} in each row, and no input at all. */
final class ConstantComponent extends UpdatableComponent {
  float[] output;
  private boolean isUpdatable = true;
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

  @Override
  void fields(Fields f) {
    updatableFields(f);
    output = f.vector("<Output>", output);
    f.check(output.length > 0, "<Output> must have elements", "none");
    isUpdatable = f.flag("<IsUpdatable>", isUpdatable);
    useNaturalGradient = f.flag("<UseNaturalGradient>", useNaturalGradient);
  }

  @Override
  void blend(Blend blend, Component o) {
    if (isUpdatable) {
      output = blend.of(output, ((ConstantComponent) o).output);
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

  /** What a node names as its input is never read; a node may name itself. */
  @Override
  public int inputDim() {
    return output.length;
  }

  @Override
  public int outputDim() {
    return output.length;
  }

  @Override
  public Set<Property> properties() {
    var none = EnumSet.noneOf(Property.class);
    return isUpdatable ? EnumSet.of(UPDATABLE) : none;
  }

  @Override
  public List<Index> inputIndexes(Index at) {
    return List.of();
  }

  @Override
  public boolean isComputable(Index at, Predicate<Index> available, Consumer<Index> used) {
    return true;
  }

  @Override
  public Preconditioning rowPreconditioning() {
    return useNaturalGradient ? new Preconditioning(MANY, 1, SAMPLES_HISTORY, ALPHA) : null;
  }

  @Override
  InfoText infoText() {
    return super.infoText()
        .raw(", " + type())
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
