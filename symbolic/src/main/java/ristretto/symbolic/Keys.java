package ristretto.symbolic;

import ristretto.expr.Seed;

/**
 * Keys of the random numbers of a model: independent of each other, of those that follow from
 * another seed, and of those that a user draws with the same seed.
 */
final class Keys {
  /** Sets a model's keys apart from others that are made of its seed. */
  private static final long MODEL = 0x6D6F64656CL;

  private Keys() {}

  /** Key of the first values of a parameter or a state. */
  static long variable(long seed, int number) {
    return model(seed).fold(number).number();
  }

  /** Key of the random numbers of an operator, to which the number of the step is added. */
  static long operator(long seed, int number) {
    return model(seed).fold(-1L - number).number();
  }

  private static Seed model(long seed) {
    return Seed.of(seed).fold(MODEL);
  }
}
