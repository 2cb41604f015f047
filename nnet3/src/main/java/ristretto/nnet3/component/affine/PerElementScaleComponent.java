package ristretto.nnet3.component.affine;

import static ristretto.nnet3.Property.BACKPROP_IN_PLACE;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
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
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Trainable scale: {@code y = x * s}. */
public class PerElementScaleComponent extends UpdatableComponent {
  float[] scales;

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    if (line.has(fileKey())) {
      scales = ConfigParameters.readVector(line, fileKey());
      ConfigParameters.agree(line, "dim", scales.length);
      return;
    }
    int dim = line.positive("dim");
    float mean = line.real("param-mean", 1);
    scales = gaussian(random, dim, mean, line.notNegative("param-stddev", 0));
  }

  String fileKey() {
    return "vector";
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    params(f);
    oldIsGradient(f);
  }

  final void params(Fields f) {
    scales = f.vector("<Params>", scales);
    f.check(scales.length > 0, "<Params> must have elements", "none");
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    scales = blend.of(scales, ((PerElementScaleComponent) o).scales);
  }

  @Override
  public final void mapParameters(UnaryOperator<float[]> f) {
    scales = f.apply(scales);
  }

  @Override
  public long parameterCount() {
    return scales.length;
  }

  @Override
  public int inputDim() {
    return scales.length;
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(
        SIMPLE, UPDATABLE, BACKPROP_NEEDS_INPUT, PROPAGATE_IN_PLACE, BACKPROP_IN_PLACE);
  }

  @Override
  public InfoText infoText() {
    return super.infoText().range("scales", scales).stats("scales", scales);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.x().times(f.vector(scales));
  }

  @Override
  public final void backward(BackwardStep b) {
    if (b.wantsParameters()) {
      b.rows(scales, b.forward().x().times(b.dyInMemory()));
    }
    if (b.wantsInput()) {
      b.input(b.dy().times(b.forward().vector(scales)));
    }
  }
}
