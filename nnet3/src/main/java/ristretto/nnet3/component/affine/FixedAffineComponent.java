package ristretto.nnet3.component.affine;

import static ristretto.nnet3.Property.BACKPROP_ADDS;
import static ristretto.nnet3.Property.SIMPLE;

import java.util.EnumSet;
import java.util.Set;
import java.util.random.RandomGenerator;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Property;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.ConfigParameters;
import ristretto.nnet3.component.Fields;
import ristretto.nnet3.component.InfoText;
import ristretto.nnet3.component.Projection;
import ristretto.nnet3.config.ConfigLine;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.ForwardStep;

/** Fixed affine component, not trained: {@code y = x W' + b}. */
public final class FixedAffineComponent extends ComponentBase implements Projection {
  public Matrix linear;
  public float[] bias;

  public FixedAffineComponent() {}

  public FixedAffineComponent(AffineComponent from) {
    linear = from.linear;
    bias = from.bias;
  }

  @Override
  public void init(ConfigLine line, RandomGenerator random) {
    Matrix both =
        line.has("matrix")
            ? ConfigParameters.read(line)
            : gaussianMatrix(
                random, line.positive("output-dim"), line.positive("input-dim") + 1, 1);
    linear = ConfigParameters.withoutLastColumn(both);
    bias = ConfigParameters.lastColumn(both);
  }

  @Override
  public void fields(Fields f) {
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
  public InfoText infoText() {
    return super.infoText().rms("linear-params", linear.data()).stats("bias", bias);
  }

  @Override
  public Expr<F32> forward(ForwardStep f) {
    return f.affine(linear, bias);
  }

  @Override
  public void backward(BackwardStep b) {
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
