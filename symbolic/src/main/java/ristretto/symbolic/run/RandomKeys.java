package ristretto.symbolic.run;

import ristretto.expr.Seed;

/**
 * Random keys of a model; independent of each other, of the keys of other seeds, and of the numbers
 * that a user draws with the same seed.
 */
public final class RandomKeys {
  /** Separates a model's keys from other uses of its seed. */
  private static final long MODEL = 0x6D6F64656CL;

  private RandomKeys() {}

  /** Returns the key of the initial values of a parameter or a state. */
  public static long variable(long seed, int number) {
    return model(seed).fold(number).number();
  }

  /** Returns the key of an operator's random numbers, to which the step number is added. */
  public static long operator(long seed, int number) {
    return model(seed).fold(-1L - number).number();
  }

  private static Seed model(long seed) {
    return Seed.of(seed).fold(MODEL);
  }
}
