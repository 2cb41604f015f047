package ristretto.nnet3.component.affine;

import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ConfigParameters;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.LinearAndBias;
import ristretto.nnet3.component.Projection;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Affine component: {@code y = x W' + b}. */
public class AffineComponent extends LinearAndBias implements Projection {
  float orthonormalConstraint;

  public AffineComponent() {}

  public AffineComponent(Matrix linear, float[] bias) {
    this.linear = linear;
    this.bias = bias;
  }

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    if (line.has("matrix")) {
      setMatrix(ConfigParameters.read(line));
      ConfigParameters.agree(line, "input-dim", inputDim());
      ConfigParameters.agree(line, "output-dim", outputDim());
    } else {
      int inputDim = line.positive("input-dim");
      int outputDim = line.positive("output-dim");
      float stddev = line.notNegative("param-stddev", inverseRoot(inputDim));
      linear = gaussianMatrix(random, outputDim, inputDim, stddev);
      bias = bias(line, random, outputDim);
    }
    orthonormalConstraint = line.real("orthonormal-constraint", 0);
  }

  public float[] bias(ConfigLine line, RandomGenerator random, int outputDim) {
    return gaussian(random, outputDim, 0, line.notNegative("bias-stddev", 1));
  }

  /** Splits a matrix into linear parameters and, in its last column, the bias. */
  private void setMatrix(Matrix both) {
    linear = ConfigParameters.withoutLastColumn(both);
    bias = ConfigParameters.lastColumn(both);
  }

  @Override
  public void fields(Fields f) {
    updatableFields(f);
    matrices(f);
    oldIsGradient(f);
    orthonormalConstraint = f.optionalReal("<OrthonormalConstraint>", orthonormalConstraint, 0);
  }

  @Override
  public int inputDim() {
    return linear.cols();
  }

  @Override
  public int outputDim() {
    return linear.rows();
  }

  @Override
  public Set<Property> properties() {
    return EnumSet.of(SIMPLE, UPDATABLE, BACKPROP_NEEDS_INPUT, BACKPROP_ADDS);
  }

  @Override
  public final float orthonormalConstraint() {
    return orthonormalConstraint;
  }

  @Override
  public final Matrix constrained() {
    return linear;
  }

  @Override
  public InfoText infoText() {
    return super.infoText()
        .unless(0, "orthonormal-constraint", orthonormalConstraint)
        .norms("linear-params", linear)
        .stats("bias", bias);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.affine(linear, bias);
  }

  @Override
  public void backward(BackwardStep b) {
    b.affine(linear, bias);
  }

  @Override
  public Matrix weights() {
    return linear;
  }

  @Override
  public float[] offset() {
    return bias;
  }
}
