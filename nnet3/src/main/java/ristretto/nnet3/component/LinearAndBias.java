package ristretto.nnet3.component;

import java.util.function.UnaryOperator;
import ristretto.nnet3.Component;
import ristretto.nnet3.io.Matrix;

/**
 * Base class of components whose parameters are a matrix and an optional bias with one element per
 * output.
 */
abstract class LinearAndBias extends UpdatableComponent {
  Matrix linear;

  /** Bias; empty if there is none. */
  float[] bias;

  @Override
  void blend(Blend blend, Component o) {
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
