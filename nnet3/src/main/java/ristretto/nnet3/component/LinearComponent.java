package ristretto.nnet3.component;

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
import ristretto.expr.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Property;
import ristretto.nnet3.forward.Backward;
import ristretto.nnet3.forward.Forward;
import ristretto.nnet3.io.Matrix;

/** Linear component: {@code y = x W'}. */
final class LinearComponent extends UpdatableComponent implements Projection {
  Matrix params;
  float orthonormalConstraint;
  private boolean useNaturalGradient = true;
  private int rankIn = 40;
  private int rankOut = 80;
  private int updatePeriod = 4;
  private float samplesHistory = 2000;
  private float alpha = 4;

  LinearComponent() {}

  LinearComponent(Matrix params) {
    this.params = params;
  }

  @Override
  void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    if (line.has("matrix")) {
      params = Parameters.read(line);
      Parameters.agree(line, "input-dim", inputDim());
      Parameters.agree(line, "output-dim", outputDim());
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
  void fields(Fields f) {
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
  void blend(Blend blend, Component o) {
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
  public Preconditioning inputPreconditioning() {
    return new Preconditioning(rankIn, updatePeriod, samplesHistory, alpha);
  }

  @Override
  public Preconditioning outputPreconditioning() {
    return new Preconditioning(rankOut, updatePeriod, samplesHistory, alpha);
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
  InfoText infoText() {
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
  public Expr<F32> forward(Forward f) {
    return f.affine(params, new float[0]);
  }

  @Override
  public void backward(Backward b) {
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
