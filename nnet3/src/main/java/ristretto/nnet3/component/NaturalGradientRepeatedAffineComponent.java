package ristretto.nnet3.component;

/** {@link RepeatedAffineComponent} trained with natural gradient. */
final class NaturalGradientRepeatedAffineComponent extends RepeatedAffineComponent {
  @Override
  public Preconditioning gradientPreconditioning() {
    int rank = Math.max(1, Math.min(MANY, linear.cols() / 2));
    return new Preconditioning(rank, UPDATE_PERIOD, SAMPLES_HISTORY, ALPHA);
  }

  @Override
  public int gradientRows() {
    return linear.rows();
  }
}
