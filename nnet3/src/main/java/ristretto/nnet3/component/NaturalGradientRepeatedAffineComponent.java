package ristretto.nnet3.component;

/** The same function as {@link RepeatedAffineComponent}, trained with a natural gradient. */
final class NaturalGradientRepeatedAffineComponent extends RepeatedAffineComponent {
  @Override
  public Preconditioning gradientPreconditioning() {
    int most = Math.max(1, linear.cols() / 2);
    return new Preconditioning(Math.min(40, most), UPDATE_PERIOD, SAMPLES_HISTORY, ALPHA);
  }
}
