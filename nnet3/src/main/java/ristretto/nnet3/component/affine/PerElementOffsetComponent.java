package ristretto.nnet3.component.affine;

import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.OUTPUT_CONTIGUOUS;
import static ristretto.nnet3.Property.PROPAGATE_IN_PLACE;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ConfigParameters;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearCombination;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Trainable offset: {@code y = x + b}, where b may repeat along the columns. */
public final class PerElementOffsetComponent extends UpdatableComponent {
  private int dim;
  float[] offsets;
  private boolean useNaturalGradient = true;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    if (line.has("vector")) {
      offsets = ConfigParameters.readVector(line, "vector");
      dim = line.positive("dim", offsets.length);
      if (offsets.length == 0 || dim % offsets.length != 0) {
        throw line.error("vector", "the vector's length must divide dim, " + dim);
      }
    } else {
      dim = line.positive("dim");
      float mean = line.real("param-mean", 0);
      float stddev = line.notNegative("param-stddev", 0);
      offsets = gaussian(random, blockDim(line, dim), mean, stddev);
    }
    useNaturalGradient = line.flag("use-natural-gradient", true);
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    offsets = f.vector("<Offsets>", offsets);
    oldIsGradient(f);
    f.check(offsets.length > 0, "<Offsets> must have elements", "none");
    dim = f.optional("<Dim>", true) ? f.integer(dim) : offsets.length;
    f.check(dim % offsets.length == 0, "<Dim> must be a multiple of " + offsets.length, dim);
    if (f.optional("<UseNaturalGradient>", true)) {
      useNaturalGradient = f.flag(useNaturalGradient);
    }
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    offsets = blend.of(offsets, ((PerElementOffsetComponent) o).offsets);
  }

  @Override
  public void mapParameters(UnaryOperator<float[]> f) {
    offsets = f.apply(offsets);
  }

  @Override
  public long parameterCount() {
    return offsets.length;
  }

  @Override
  public int inputDim() {
    return dim;
  }

  @Override
  public Set<Property> properties() {
    var all = EnumSet.of(SIMPLE, UPDATABLE, BACKPROP_IN_PLACE, PROPAGATE_IN_PLACE);
    if (dim != offsets.length) {
      all.add(OUTPUT_CONTIGUOUS);
    }
    return all;
  }

  @Override
  public NaturalGradientSettings rowPreconditioning() {
    return useNaturalGradient
        ? new NaturalGradientSettings(RANK, UPDATE_PERIOD, SAMPLES_HISTORY, ALPHA)
        : null;
  }

  @Override
  public InfoText infoText() {
    return super.infoText()
        .range("offsets", offsets)
        .add("block-dim", offsets.length)
        .add("use-natural-gradient", useNaturalGradient)
        .stats("offsets", offsets);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.inBlocks(f.x(), offsets.length, rows -> rows.plus(f.vector(offsets)));
  }

  @Override
  public void backward(BackwardStep b) {
    if (b.wantsParameters()) {
      b.rows(offsets, b.dyForSeveral());
    }
    if (b.wantsInput()) {
      b.input(b.dy());
    }
  }
}
