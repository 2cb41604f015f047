package ristretto.expr.random;

import ristretto.expr.special.ErrorFunction;
import ristretto.expr.special.GammaFunction;
import ristretto.expr.special.IncompleteGamma;

/**
 * Samplers, lifted into kernels. Each element has a generator of its own, SplitMix64 with a start
 * derived from the key and the element number, so that rejection methods draw as many numbers as
 * they need. Users rely on the generated numbers: the algorithms must not change.
 */
final class Samplers {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  /**
   * Limit of the turns of a rejection method. Each turn accepts with a probability above 1/2, so
   * that the limit is never reached with valid parameters.
   */
  private static final int MOST_TURNS = 1000;

  private Samplers() {}

  /** State of the generator of an element. */
  private static long start(long key, long element) {
    return mixed(mixed(key) + GOLDEN * (element + 1));
  }

  private static long mixed(long z) {
    long a = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    long b = (a ^ a >>> 27) * 0x94D049BB133111EBL;
    return b ^ b >>> 31;
  }

  /** Number k of a generator, uniform in (0, 1) with 53 bits. */
  private static double uniform(long start, int k) {
    return ((mixed(start + GOLDEN * k) >>> 11) + 0.5) * 0x1p-53;
  }

  /** Standard normal number from the numbers k and k + 1 of a generator. */
  private static double normal(long start, int k) {
    double radius = Math.sqrt(-2 * Math.log(uniform(start, k)));
    return radius * Math.cos(2 * Math.PI * uniform(start, k + 1));
  }

  /** Gamma distribution with scale 1 for a shape of at least 1 (Marsaglia and Tsang, 2000). */
  private static double largeGamma(long start, double shape) {
    double d = shape - 1.0 / 3;
    double c = 1 / Math.sqrt(9 * d);
    double result = Double.NaN;
    int turn = 1;
    while (turn < MOST_TURNS) {
      double x = normal(start, 3 * turn);
      double v = 1 + c * x;
      double cube = v * v * v;
      double u = uniform(start, 3 * turn + 2);
      if (v > 0 && Math.log(u) < 0.5 * x * x + d - d * cube + d * Math.log(cube)) {
        result = d * cube;
        turn = MOST_TURNS;
      }
      turn++;
    }
    return result;
  }

  /** Gamma distribution with scale 1; NaN for a shape that is not positive. */
  static double gamma(long key, long element, long shapeBits, long none) {
    double shape = Double.longBitsToDouble(shapeBits);
    long start = start(key, element);
    double large = largeGamma(start, shape < 1 ? shape + 1 : shape);
    double small = large * Math.pow(uniform(start, 1), 1 / shape);
    return shape > 0 ? shape < 1 ? small : large : Double.NaN;
  }

  /** Logarithm of {@link #gamma}, which does not underflow for small shapes. */
  static double logGamma(long key, long element, long shapeBits, long none) {
    double shape = Double.longBitsToDouble(shapeBits);
    long start = start(key, element);
    double log = Math.log(largeGamma(start, shape < 1 ? shape + 1 : shape));
    double small = log + Math.log(uniform(start, 1)) / shape;
    return shape > 0 ? shape < 1 ? small : log : Double.NaN;
  }

  /** Poisson distribution; -1 for a rate that is negative, NaN or above 2^52. */
  static double poisson(long key, long element, long rateBits, long none) {
    double rate = Double.longBitsToDouble(rateBits);
    if (!(rate >= 0 && rate <= 0x1p52)) {
      return -1;
    }
    long start = start(key, element);
    if (rate < 10) {
      // inversion: subtracts the probabilities of 0, 1, ... from a uniform number
      double u = uniform(start, 1);
      double p = Math.exp(-rate);
      int k = 0;
      while (u > p && k < 200) {
        u -= p;
        k++;
        p *= rate / k;
      }
      return k;
    }
    // transformed rejection (Hormann, 1993)
    double b = 0.931 + 2.53 * Math.sqrt(rate);
    double a = -0.059 + 0.02483 * b;
    double alpha = 1.1239 + 1.1328 / (b - 3.4);
    double squeeze = 0.9277 - 3.6224 / (b - 2);
    double result = -1;
    int turn = 1;
    while (turn < MOST_TURNS) {
      double u = uniform(start, 2 * turn) - 0.5;
      double v = uniform(start, 2 * turn + 1);
      double us = 0.5 - Math.abs(u);
      double k = Math.floor((2 * a / us + b) * u + rate + 0.43);
      boolean inside = us >= 0.07 && v <= squeeze;
      boolean outside = k < 0 || us < 0.013 && v > us;
      if (inside || !outside && Math.log(v * alpha / (a / (us * us) + b)) <= logPoisson(k, rate)) {
        result = k;
        turn = MOST_TURNS;
      }
      turn++;
    }
    return result;
  }

  /** Logarithm of the probability of k (Loader, 2000). */
  private static double logPoisson(double k, double rate) {
    double deviance = k * IncompleteGamma.excess((rate - k) / k, rate / k);
    double value = -0.5 * Math.log(2 * Math.PI * k) - GammaFunction.stirling(k) - deviance;
    return k == 0 ? -rate : value;
  }

  /** Binomial distribution; -1 for parameters outside of their ranges. */
  static double binomial(long key, long element, long countBits, long probabilityBits) {
    double n = Double.longBitsToDouble(countBits);
    double probability = Double.longBitsToDouble(probabilityBits);
    if (!(n >= 0 && n <= 0x1p52 && probability >= 0 && probability <= 1)) {
      return -1;
    }
    double p = Math.min(probability, 1 - probability);
    long start = start(key, element);
    if (n * p < 10) {
      // inversion: subtracts the probabilities of 0, 1, ... from a uniform number
      double u = uniform(start, 1);
      double ratio = p / (1 - p);
      double f = Math.exp(n * Math.log1p(-p));
      double most = Math.min(n, 200);
      double k = 0;
      while (u > f && k < most) {
        u -= f;
        k += 1;
        f *= ratio * (n - k + 1) / k;
      }
      return probability > 0.5 ? n - k : k;
    }
    // transformed rejection (Hormann, 1993)
    double root = Math.sqrt(n * p * (1 - p));
    double b = 1.15 + 2.53 * root;
    double a = -0.0873 + 0.0248 * b + 0.01 * p;
    double alpha = (2.83 + 5.1 / b) * root;
    double squeeze = 0.92 - 4.2 / b;
    double mode = logBinomial(Math.floor((n + 1) * p), n, p);
    double result = -1;
    int turn = 1;
    while (turn < MOST_TURNS) {
      double u = uniform(start, 2 * turn) - 0.5;
      double v = uniform(start, 2 * turn + 1);
      double us = 0.5 - Math.abs(u);
      double k = Math.floor((2 * a / us + b) * u + n * p + 0.5);
      boolean inside = us >= 0.07 && v <= squeeze;
      boolean outside = k < 0 || k > n;
      if (inside
          || !outside && Math.log(v * alpha / (a / (us * us) + b)) <= logBinomial(k, n, p) - mode) {
        result = k;
        turn = MOST_TURNS;
      }
      turn++;
    }
    return probability > 0.5 ? n - result : result;
  }

  /** Logarithm of the probability of k (Loader, 2000). */
  private static double logBinomial(double k, double n, double p) {
    double rest = n - k;
    double q = 1 - p;
    double deviance =
        k * IncompleteGamma.excess((n * p - k) / k, n * p / k)
            + rest * IncompleteGamma.excess((n * q - rest) / rest, n * q / rest);
    double series =
        GammaFunction.stirling(n) - GammaFunction.stirling(k) - GammaFunction.stirling(rest);
    double value = series - deviance - 0.5 * Math.log(2 * Math.PI * k * (rest / n));
    return k == 0 ? n * Math.log1p(-p) : rest == 0 ? n * Math.log(p) : value;
  }

  /** Number of the first success in trials, by inversion; -1 for p outside of (0, 1]. */
  static double geometric(long key, long element, long probabilityBits, long none) {
    double p = Double.longBitsToDouble(probabilityBits);
    double k = Math.ceil(Math.log(uniform(start(key, element), 1)) / Math.log1p(-p));
    return p > 0 && p <= 1 ? Math.max(k, 1) : -1;
  }

  /** Standard normal distribution between two bounds; NaN unless low is below high. */
  static double truncatedNormal(long key, long element, long lowBits, long highBits) {
    double low = Double.longBitsToDouble(lowBits);
    double high = Double.longBitsToDouble(highBits);
    if (!(low < high)) {
      return Double.NaN;
    }
    // Mirrors intervals on the left, where the distribution function is near 1.
    double side = low + high < 0 ? -1 : 1;
    double a = side < 0 ? -high : low;
    double b = side < 0 ? -low : high;
    long start = start(key, element);
    if (a <= 3) {
      double above = upperTail(b);
      double q = upperTail(a) - uniform(start, 1) * (upperTail(a) - above);
      double x = Math.sqrt(2) * ErrorFunction.erfcinv(2 * Math.min(q, 1 - 0x1p-53));
      return side * Math.min(b, Math.max(a, x));
    }
    // rejection from an exponential distribution (Robert, 1995)
    double mass = Math.expm1(-a * (b - a));
    double result = Double.NaN;
    int turn = 1;
    while (turn < MOST_TURNS) {
      double x = a - Math.log1p(uniform(start, 2 * turn) * mass) / a;
      if (Math.log(uniform(start, 2 * turn + 1)) <= -0.5 * (x - a) * (x - a)) {
        result = Math.min(b, x);
        turn = MOST_TURNS;
      }
      turn++;
    }
    return side * result;
  }

  /** Probability that a standard normal number is above x. */
  private static double upperTail(double x) {
    double z = Math.abs(x) * Math.sqrt(0.5);
    double tail = 0.5 * Math.exp(-z * z) * ErrorFunction.erfcx(z);
    return x < 0 ? 1 - tail : tail;
  }
}
