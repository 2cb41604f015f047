package ristretto.nnet3.component;

import java.util.function.UnaryOperator;
import ristretto.nnet3.Component;
import ristretto.nnet3.matrix.Matrix;

/**
 * Base class of components whose parameters are a matrix and an optional bias with one element per
 * output.
 */
public abstract class LinearAndBias extends UpdatableComponent {
  public Matrix linear;

  /** Bias; empty if there is none. */
  public float[] bias;

  /** Reads or writes the parameters of types with a bias. */
  protected final void matrices(Fields f) {
    linear = f.matrix("<LinearParams>", linear);
    bias = f.vector("<BiasParams>", bias);
    f.check(
        linear.rows() == bias.length && linear.rows() > 0,
        "<BiasParams> must have as many elements as <LinearParams> has rows, " + linear.rows(),
        bias.length);
  }

  @Override
  public void blend(LinearCombination blend, Component o) {
    var other = (LinearAndBias) o;
    linear = blend.of(linear, other.linear);
    bias = blend.of(bias, other.bias);
  }

  @Override
  public final void mapParameters(UnaryOperator<float[]> f) {
    linear = map(f, linear);
    bias = f.apply(bias);
  }

  @Override
  public final long parameterCount() {
    return linear.data().length + bias.length;
  }
}
