package ristretto.llm.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.ShapeException;

class SamplerTest {
  private static final Sampling ALL = new Sampling(1, 0, 1, 0, 1, 7);
  private static final int DRAWS = 20_000;

  private final Sequence none = new Sequence(List.of());

  /** Relative frequencies of the drawn tokens. */
  private TreeMap<Integer, Double> frequencies(Sampling settings, float... logits) {
    var sampler = new Sampler(settings, logits.length);
    var counts = new TreeMap<Integer, Double>();
    for (int k = 0; k < DRAWS; k++) {
      counts.merge(sampler.next(logits.clone(), 0, none), 1.0 / DRAWS, Double::sum);
    }
    return counts;
  }

  private static float log(double p) {
    return (float) Math.log(p);
  }

  private final float[] some = {log(0.1), log(0.4), log(0.2), log(0.3)};

  @Test
  void drawsHaveTheProbabilities() {
    var all = frequencies(ALL, some);
    assertThat(all.keySet()).containsExactly(0, 1, 2, 3);
    assertThat(all.get(0)).isCloseTo(0.1, within(0.01));
    assertThat(all.get(1)).isCloseTo(0.4, within(0.01));
    assertThat(all.get(2)).isCloseTo(0.2, within(0.01));
  }

  @Test
  void aTemperatureSharpensOrFlattens() {
    assertThat(frequencies(ALL.temperature(0.5), some).get(1)).isCloseTo(0.16 / 0.3, within(0.01));
    double roots = Math.sqrt(0.1) + Math.sqrt(0.4) + Math.sqrt(0.2) + Math.sqrt(0.3);
    assertThat(frequencies(ALL.temperature(2), some).get(0))
        .isCloseTo(Math.sqrt(0.1) / roots, within(0.01));
  }

  @Test
  void limitsKeepTheMostProbable() {
    assertThat(frequencies(ALL.topK(2), some).keySet()).containsExactly(1, 3);
    assertThat(frequencies(ALL.topK(9), some).keySet()).containsExactly(0, 1, 2, 3);
    assertThat(frequencies(ALL.topP(0.39), some).keySet()).containsExactly(1);
    assertThat(frequencies(ALL.topP(0.69), some).keySet()).containsExactly(1, 3);
    assertThat(frequencies(ALL.topP(0.71), some).keySet()).containsExactly(1, 2, 3);
    assertThat(frequencies(ALL.minP(0.6), some).keySet()).containsExactly(1, 3);
    assertThat(frequencies(ALL.minP(1), some).keySet()).containsExactly(1);
    var few = frequencies(ALL.topK(2), some);
    assertThat(few.get(3)).isCloseTo(3.0 / 7, within(0.015));
  }

  @Test
  void infiniteLogitsAreNeverDrawn() {
    float never = Float.NEGATIVE_INFINITY;
    assertThat(frequencies(ALL, never, 0, never, 0).keySet()).containsExactly(1, 3);
    assertThat(frequencies(Sampling.GREEDY, never, -5, never).keySet()).containsExactly(1);
  }

  @Test
  void greedyTakesTheFirstOfEqualTokens() {
    assertThat(frequencies(Sampling.GREEDY, 1, 3, 3, -0f).keySet()).containsExactly(1);
    assertThat(frequencies(ALL.topK(1), 1, 3, 3, 0).keySet()).containsExactly(1);
    assertThat(frequencies(ALL.topK(2), 0, -0f, 0f, -1).keySet()).containsExactly(0, 1);
  }

  @Test
  void repeatedTokensArePenalizedOnce() {
    var sampler = new Sampler(Sampling.GREEDY.repetitionPenalty(2), 4);
    var sequence = new Sequence(List.of(1, 1, 3));
    float[] logits = {9, 9, 9, 9, 1, 4, 3, -1};
    assertThat(sampler.next(logits, 1, sequence)).isEqualTo(2);
    assertThat(logits).containsExactly(9, 9, 9, 9, 1, 2, 3, -2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 256, 257, 999, 1000, 2000})
  void theOrderIsThatOfALargeSort(int topK) {
    var random = new Random(topK);
    float[] logits = new float[1000];
    for (int k = 0; k < logits.length; k++) {
      logits[k] = (float) Math.rint(20 * random.nextGaussian());
    }
    int[] kept =
        java.util.stream.IntStream.range(0, 1000)
            .boxed()
            .sorted((a, b) -> Float.compare(logits[b], logits[a]))
            .limit(topK == 0 ? 1000 : topK)
            .mapToInt(k -> k)
            .toArray();
    var sampler = new Sampler(new Sampling(100, topK, 1, 0, 1, 1), 1000);
    for (int k = 0; k < 1000; k++) {
      int token = sampler.next(logits, 0, none);
      assertThat(kept).contains(token);
    }
  }

  @Test
  void logitsMustBeNumbers() {
    for (Sampling settings : List.of(Sampling.GREEDY, ALL, ALL.topK(2))) {
      for (int at = 0; at < 3; at++) {
        float[] logits = {1, 2, 3};
        logits[at] = Float.NaN;
        assertThatThrownBy(() -> new Sampler(settings, 3).next(logits, 0, none))
            .isInstanceOf(ShapeException.class)
            .hasMessage(
                "[generate] logits must be numbers; got NaN; check the weights of the model.");
      }
    }
  }

  @Test
  void settingsOutOfRange() {
    refused("the temperature must be from 0 to 100; got -1.0.", () -> ALL.temperature(-1));
    refused("the temperature must be from 0 to 100; got NaN.", () -> ALL.temperature(Double.NaN));
    refused("the top-k must be at least 0; got -1.", () -> ALL.topK(-1));
    refused("the top-p must be above 0 and at most 1; got 0.0.", () -> ALL.topP(0));
    refused("the min-p must be from 0 to 1; got 1.5.", () -> ALL.minP(1.5));
    refused(
        "the repetition penalty must be from 0.01 to 100; got 0.0.",
        () -> ALL.repetitionPenalty(0));
  }

  private static void refused(String message, Runnable code) {
    assertThatThrownBy(code::run)
        .isInstanceOf(ShapeException.class)
        .hasMessage("[generate] " + message);
  }
}
