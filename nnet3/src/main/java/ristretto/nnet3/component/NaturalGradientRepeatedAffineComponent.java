package ristretto.nnet3.component;

/** The same function as {@link RepeatedAffineComponent}, trained with a natural gradient. */
final class NaturalGradientRepeatedAffineComponent extends RepeatedAffineComponent {}
