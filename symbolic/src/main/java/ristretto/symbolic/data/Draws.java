package ristretto.symbolic.data;

import java.util.SplittableRandom;

/**
 * Random numbers of an example, which depend only on the seed, the epoch and the number of the
 * example, so that any thread may compute the example.
 */
public final class Draws {
  private Draws() {}

  /** Returns the generator of an example in an epoch. */
  public static SplittableRandom of(long seed, long epoch, long example) {
    long key = new SplittableRandom(seed).nextLong() + epoch;
    return new SplittableRandom(new SplittableRandom(key).nextLong() + example);
  }

  /** Draws from the beta distribution with both parameters equal to alpha. */
  static double beta(SplittableRandom random, double alpha) {
    double a = logGamma(random, alpha);
    double b = logGamma(random, alpha);
    return 1 / (1 + Math.exp(b - a));
  }

  /**
   * Draws the logarithm of a gamma variable with scale 1 (Marsaglia and Tsang 2000). Logarithms
   * keep the ratio of two tiny variables.
   */
  private static double logGamma(SplittableRandom random, double shape) {
    if (shape < 1) {
      double below = Math.log(1 - random.nextDouble()) / shape;
      return below + logGamma(random, shape + 1);
    }
    double d = shape - 1.0 / 3;
    double c = 1 / Math.sqrt(9 * d);
    while (true) {
      double x = random.nextGaussian();
      double v = 1 + c * x;
      if (v > 0) {
        double cube = v * v * v;
        double u = 1 - random.nextDouble();
        if (Math.log(u) < 0.5 * x * x + d - d * cube + d * Math.log(cube)) {
          return Math.log(d) + Math.log(cube);
        }
      }
    }
  }
}
