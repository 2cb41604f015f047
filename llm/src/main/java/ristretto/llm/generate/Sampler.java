package ristretto.llm.generate;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import ristretto.kernels.ShapeException;

/** Draws of one sequence. */
final class Sampler {
  /** Tokens that the repetition penalty applies to. */
  private static final int WINDOW = 64;

  private final Sampling settings;
  private final int vocabulary;
  private final RandomGenerator random;

  /** Candidates: a sortable logit, highest first, and the token in the low bits. */
  private long[] candidates = new long[0];

  private double[] weights = new double[0];

  Sampler(Sampling settings, int vocabulary) {
    this.settings = settings;
    this.vocabulary = vocabulary;
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(settings.seed());
  }

  /**
   * Chooses a token; of equal ones that with the lowest number. The penalty changes the logits.
   *
   * @param logits of several sequences, row by row
   * @param sequence tokens so far
   */
  int next(float[] logits, int row, Sequence sequence) {
    int from = row * vocabulary;
    if (settings.repetitionPenalty() != 1) {
      penalize(logits, from, sequence);
    }
    if (settings.temperature() == 0 || settings.topK() == 1) {
      return best(logits, from);
    }
    int count = sorted(logits, from);
    if (weights.length < count) {
      weights = new double[count];
    }
    double best = logit(0);
    requireNumbers(!Double.isNaN(best));
    double sum = 0;
    for (int k = 0; k < count; k++) {
      weights[k] = Math.exp(logit(k) - best);
      sum += weights[k];
    }
    double kept = 0;
    int end = 0;
    while (end < count
        && (end == 0 || kept < settings.topP() * sum && weights[end] >= settings.minP())) {
      kept += weights[end++];
    }
    double total = 0;
    for (int k = 0; k < end; k++) {
      weights[k] = Math.exp((logit(k) - best) / settings.temperature());
      total += weights[k];
    }
    double at = random.nextDouble() * total;
    for (int k = 0; k < end - 1; k++) {
      at -= weights[k];
      if (at < 0) {
        return token(k);
      }
    }
    return token(end - 1);
  }

  private int best(float[] logits, int from) {
    int best = from;
    boolean numbers = true;
    for (int k = from; k < from + vocabulary; k++) {
      numbers &= !Float.isNaN(logits[k]);
      if (logits[k] > logits[best]) {
        best = k;
      }
    }
    requireNumbers(numbers);
    return best - from;
  }

  private static void requireNumbers(boolean are) {
    if (!are) {
      throw new ShapeException(
          "[generate] logits must be numbers; got NaN; check the weights of the model.");
    }
  }

  private void penalize(float[] logits, int from, Sequence sequence) {
    float penalty = (float) settings.repetitionPenalty();
    int[] last = sequence.last(WINDOW);
    Arrays.sort(last);
    for (int k = 0; k < last.length; k++) {
      int token = last[k];
      if (k > 0 && token == last[k - 1]) {
        continue;
      }
      float logit = logits[from + token];
      logits[from + token] = logit > 0 ? logit / penalty : logit * penalty;
    }
  }

  /** Sorts the most probable tokens to the front of the candidates, and returns their number. */
  private int sorted(float[] logits, int from) {
    int n = vocabulary;
    if (candidates.length < n) {
      candidates = new long[n];
    }
    int wanted = settings.topK() == 0 ? n : Math.min(n, settings.topK());
    if (wanted <= 256) {
      return select(logits, from, wanted);
    }
    for (int k = 0; k < n; k++) {
      candidates[k] = candidate(logits[from + k], k);
    }
    Arrays.sort(candidates, 0, n);
    return wanted;
  }

  /** Keeps the best tokens in a sorted array, into which few of many tokens have to be put. */
  private int select(float[] logits, int from, int wanted) {
    int size = 0;
    for (int k = 0; k < vocabulary; k++) {
      long c = candidate(logits[from + k], k);
      if (size == wanted && c >= candidates[size - 1]) {
        continue;
      }
      int at = size < wanted ? size++ : size - 1;
      while (at > 0 && candidates[at - 1] > c) {
        candidates[at] = candidates[at - 1];
        at--;
      }
      candidates[at] = c;
    }
    return size;
  }

  /** Number that is lower for a higher logit, and for a lower token if these are equal. */
  private static long candidate(float logit, int token) {
    int bits = Float.floatToIntBits(logit == 0 ? 0f : logit);
    int ascending = bits ^ bits >> 31 & Integer.MAX_VALUE;
    return (long) ~ascending << 32 | token;
  }

  private int token(int k) {
    return (int) candidates[k];
  }

  private double logit(int k) {
    int ascending = ~(int) (candidates[k] >> 32);
    return Float.intBitsToFloat(ascending ^ ascending >> 31 & Integer.MAX_VALUE);
  }
}
