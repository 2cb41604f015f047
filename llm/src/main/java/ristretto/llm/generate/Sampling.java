package ristretto.llm.generate;

import ristretto.kernels.ShapeException;

/**
 * Choice of the next token from its logits. The steps are, in this order: the repetition penalty,
 * the limits {@code topK}, {@code topP} and {@code minP}, and a draw with the probabilities at the
 * temperature.
 *
 * @param temperature divisor of the logits; 0 takes the most probable token
 * @param topK number of most probable tokens to draw from; 0 for all
 * @param topP least sum of the probabilities of the most probable tokens to draw from; 1 for all
 * @param minP least probability of a token to draw, relative to that of the most probable one
 * @param repetitionPenalty divisor of positive logits, and factor of negative ones, of the last 64
 *     tokens; 1 for no penalty
 * @param seed seed of the random numbers; the same seed draws the same tokens
 */
public record Sampling(
    double temperature, int topK, double topP, double minP, double repetitionPenalty, long seed) {
  /** Choice of the most probable token. */
  public static final Sampling GREEDY = new Sampling(0, 0, 1, 0, 1, 0);

  /** Settings of common chat programs: temperature 0.8, top 40, 0.95 and 0.05. */
  public static final Sampling DEFAULT = new Sampling(0.8, 40, 0.95, 0.05, 1, 0);

  /**
   * Checks the settings.
   *
   * @throws ShapeException if one is out of range
   */
  public Sampling {
    require(temperature >= 0 && temperature <= 100, "temperature", "from 0 to 100", temperature);
    require(topK >= 0, "top-k", "at least 0", topK);
    require(topP > 0 && topP <= 1, "top-p", "above 0 and at most 1", topP);
    require(minP >= 0 && minP <= 1, "min-p", "from 0 to 1", minP);
    require(
        repetitionPenalty >= 0.01 && repetitionPenalty <= 100,
        "repetition penalty",
        "from 0.01 to 100",
        repetitionPenalty);
  }

  private static void require(boolean holds, String what, String range, Object got) {
    if (!holds) {
      throw new ShapeException("[generate] the %s must be %s; got %s.".formatted(what, range, got));
    }
  }

  /** Returns these settings with another temperature. */
  public Sampling temperature(double other) {
    return new Sampling(other, topK, topP, minP, repetitionPenalty, seed);
  }

  /** Returns these settings with another number of most probable tokens. */
  public Sampling topK(int other) {
    return new Sampling(temperature, other, topP, minP, repetitionPenalty, seed);
  }

  /** Returns these settings with another sum of probabilities. */
  public Sampling topP(double other) {
    return new Sampling(temperature, topK, other, minP, repetitionPenalty, seed);
  }

  /** Returns these settings with another least relative probability. */
  public Sampling minP(double other) {
    return new Sampling(temperature, topK, topP, other, repetitionPenalty, seed);
  }

  /** Returns these settings with another repetition penalty. */
  public Sampling repetitionPenalty(double other) {
    return new Sampling(temperature, topK, topP, minP, other, seed);
  }

  /** Returns these settings with another seed. */
  public Sampling seed(long other) {
    return new Sampling(temperature, topK, topP, minP, repetitionPenalty, other);
  }
}
