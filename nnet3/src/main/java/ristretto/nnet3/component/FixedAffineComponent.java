package ristretto.nnet3.component;

import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.SIMPLE;

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

/** Fixed affine component, not trained: {@code y = x W' + b}. */
final class FixedAffineComponent extends ComponentBase implements Projection {
  Matrix linear;
  float[] bias;

  FixedAffineComponent() {}

  FixedAffineComponent(AffineComponent from) {
    linear = from.linear;
    bias = from.bias;
  }

  @Override
  void init(ConfigLine line, RandomGenerator random) {
    Matrix both =
        line.has("matrix")
            ? Parameters.read(line)
            : gaussianMatrix(
                random, line.positive("output-dim"), line.positive("input-dim") + 1, 1);
    linear = Parameters.withoutLastColumn(both);
    bias = Parameters.lastColumn(both);
  }

  @Override
  void fields(Fields f) {
    linear = f.matrix("<LinearParams>", linear);
    bias = f.vector("<BiasParams>", bias);
    f.check(
        linear.rows() == bias.length && bias.length > 0,
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
    return EnumSet.of(SIMPLE, BACKPROP_ADDS);
  }

  @Override
  InfoText infoText() {
    return super.infoText().rms("linear-params", linear.data()).stats("bias", bias);
  }

  @Override
  public Expr<F32> forward(Forward f) {
    return f.affine(linear, bias);
  }

  @Override
  public void backward(Backward b) {
    b.dx(b.dyInMemory(), b.forward().matrix(linear));
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
