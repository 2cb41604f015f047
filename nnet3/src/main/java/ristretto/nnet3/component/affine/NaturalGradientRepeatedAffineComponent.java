package ristretto.nnet3.component.affine;

import ristretto.nnet3.component.NaturalGradientSettings;

/** {@link RepeatedAffineComponent} trained with natural gradient. */
public final class NaturalGradientRepeatedAffineComponent extends RepeatedAffineComponent {
  @Override
  public NaturalGradientSettings gradientPreconditioning() {
    int rank = Math.max(1, Math.min(MANY, linear.cols() / 2));
    return new NaturalGradientSettings(rank, UPDATE_PERIOD, SAMPLES_HISTORY, ALPHA);
  }

  @Override
  public int gradientRows() {
    return linear.rows();
  }
}
