package ristretto.nnet3.component.affine;

import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.PROPAGATE_ADDS;
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
import ristretto.nnet3.component.Projection;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Linear component: {@code y = x W'}. */
public final class LinearComponent extends UpdatableComponent implements Projection {
  Matrix params;
  float orthonormalConstraint;
  private boolean useNaturalGradient = true;
  private int rankIn = 40;
  private int rankOut = 80;
  private int updatePeriod = 4;
  private float samplesHistory = 2000;
  private float alpha = 4;

  public LinearComponent() {}

  public LinearComponent(Matrix params) {
    this.params = params;
  }

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    if (line.has("matrix")) {
      params = ConfigParameters.read(line);
      ConfigParameters.agree(line, "input-dim", inputDim());
      ConfigParameters.agree(line, "output-dim", outputDim());
    } else {
      int inputDim = line.positive("input-dim");
      int outputDim = line.positive("output-dim");
      float stddev = line.notNegative("param-stddev", inverseRoot(inputDim));
      params = gaussianMatrix(random, outputDim, inputDim, stddev);
    }
    samplesHistory = samplesHistory(line);
    alpha = line.notNegative("alpha", 4);
    rankIn = rank(line, "rank-in", 20, inputDim());
    rankOut = rank(line, "rank-out", 80, outputDim());
    updatePeriod = line.positive("update-period", 4);
    useNaturalGradient = line.flag("use-natural-gradient", true);
    orthonormalConstraint = line.real("orthonormal-constraint", 0);
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    params = f.matrix("<Params>", params);
    f.check(params.rows() > 0, "<Params> must have rows", "none");
    orthonormalConstraint = f.optionalReal("<OrthonormalConstraint>", orthonormalConstraint, 0);
    useNaturalGradient = f.flag("<UseNaturalGradient>", useNaturalGradient);
    rankIn = f.integer("<RankInOut>", rankIn);
    rankOut = f.integer(rankOut);
    alpha = f.real("<Alpha>", alpha);
    samplesHistory = f.real("<NumSamplesHistory>", samplesHistory);
    updatePeriod = f.integer("<UpdatePeriod>", updatePeriod);
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    params = blend.of(params, ((LinearComponent) o).params);
  }

  @Override
  public void mapParameters(UnaryOperator<float[]> f) {
    params = map(f, params);
  }

  @Override
  public long parameterCount() {
    return params.data().length;
  }

  @Override
  public int inputDim() {
    return params.cols();
  }

  @Override
  public int outputDim() {
    return params.rows();
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, UPDATABLE, BACKPROP_NEEDS_INPUT, PROPAGATE_ADDS, BACKPROP_ADDS);
  }

  @Override
  public NaturalGradientSettings inputPreconditioning() {
    return new NaturalGradientSettings(rankIn, updatePeriod, samplesHistory, alpha);
  }

  @Override
  public NaturalGradientSettings outputPreconditioning() {
    return new NaturalGradientSettings(rankOut, updatePeriod, samplesHistory, alpha);
  }

  @Override
  public float orthonormalConstraint() {
    return orthonormalConstraint;
  }

  @Override
  public Matrix constrained() {
    return params;
  }

  @Override
  public InfoText infoText() {
    return super.infoText()
        .norms("params", params)
        .unless(0, "orthonormal-constraint", orthonormalConstraint)
        .add("use-natural-gradient", useNaturalGradient)
        .add("rank-in", rankIn)
        .add("rank-out", rankOut)
        .add("num-samples-history", samplesHistory)
        .add("update-period", updatePeriod)
        .add("alpha", alpha);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.affine(params, new float[0]);
  }

  @Override
  public void backward(BackwardStep b) {
    b.affine(params, new float[0]);
  }

  @Override
  public Matrix weights() {
    return params;
  }

  @Override
  public float[] offset() {
    return new float[0];
  }
}
