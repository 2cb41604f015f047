package ristretto.nnet3.component;

import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.BACKPROP_NEEDS_INPUT;
import static ristretto.nnet3.Property.SIMPLE;
import static ristretto.nnet3.Property.UPDATABLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.nnet3.ConfigLine;
import ristretto.nnet3.Property;
import ristretto.nnet3.forward.Backward;
import ristretto.nnet3.forward.Forward;
import ristretto.nnet3.io.Matrix;

/** Affine component: {@code y = x W' + b}. */
class AffineComponent extends LinearAndBias implements Projection {
  float orthonormalConstraint;

  AffineComponent() {}

  AffineComponent(Matrix linear, float[] bias) {
    this.linear = linear;
    this.bias = bias;
  }

  @Override
  void init(ConfigLine line, RandomGenerator random) {
    super.init(line, random);
    if (line.has("matrix")) {
      setMatrix(Parameters.read(line));
      Parameters.agree(line, "input-dim", inputDim());
      Parameters.agree(line, "output-dim", outputDim());
    } else {
      int inputDim = line.positive("input-dim");
      int outputDim = line.positive("output-dim");
      float stddev = line.notNegative("param-stddev", inverseRoot(inputDim));
      linear = gaussianMatrix(random, outputDim, inputDim, stddev);
      bias = bias(line, random, outputDim);
    }
    orthonormalConstraint = line.real("orthonormal-constraint", 0);
  }

  float[] bias(ConfigLine line, RandomGenerator random, int outputDim) {
    return gaussian(random, outputDim, 0, line.notNegative("bias-stddev", 1));
  }

  /** Splits a matrix into linear parameters and, in its last column, the bias. */
  private void setMatrix(Matrix both) {
    linear = Parameters.withoutLastColumn(both);
    bias = Parameters.lastColumn(both);
  }

  @Override
  void fields(Fields f) {
    updatableFields(f);
    matrices(f);
    oldIsGradient(f);
    orthonormalConstraint = f.optionalReal("<OrthonormalConstraint>", orthonormalConstraint, 0);
  }

  final void matrices(Fields f) {
    linear = f.matrix("<LinearParams>", linear);
    bias = f.vector("<BiasParams>", bias);
    f.check(
        linear.rows() == bias.length && linear.rows() > 0,
        "<BiasParams> must have as many elements as <LinearParams> has rows, " + linear.rows(),
        bias.length);
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
  InfoText infoText() {
    return super.infoText()
        .unless(0, "orthonormal-constraint", orthonormalConstraint)
        .norms("linear-params", linear)
        .stats("bias", bias);
  }

  @Override
  public Expr<F32> forward(Forward f) {
    return f.affine(linear, bias);
  }

  @Override
  public void backward(Backward b) {
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
