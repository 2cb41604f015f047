package ristretto.symbolic.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.I32;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Embedding;
import ristretto.symbolic.layers.MultiHeadAttention;

class GenerationTest {
  private static final Context CTX = Context.open();
  private static final int SYMBOLS = 11;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private final Variable<I32> words = Variable.input("words", I32, -1, -1);
  private final Variable<I32> position = Variable.input("position", I32, 1);
  private final Variable<F32> scores;
  private final Executor executor;
  private final Generation generation;

  GenerationTest() {
    var table = new Embedding("table", SYMBOLS, 8).weight(Initializer.normal(1.0));
    var first = new MultiHeadAttention("a", 2).causal().rotary(100);
    var second = new MultiHeadAttention("b", 2).causal().rotary(100);
    Variable<F32> x = table.of(words);
    x = x.plus(first.of(x));
    scores = table.logits(x.plus(second.of(x)));
    executor = new Executor(CTX, 3, scores);
    var steps = new ArrayList<MultiHeadAttention.Step<F32>>();
    Variable<F32> y = table.of(words);
    steps.add(first.step(y, position, 12));
    y = y.plus(steps.getLast().output());
    steps.add(second.step(y, position, 12));
    y = y.plus(steps.getLast().output());
    generation = new Generation(executor, words, position, table.logits(y), List.copyOf(steps));
  }

  /** Most probable symbol after a sequence, by a forward pass over all of it. */
  private int next(int[] sequence) {
    executor.set(words, CTX.tensor(sequence, 1, sequence.length));
    executor.forward();
    float[] all = executor.tensor(scores).toFloatArray();
    int start = (sequence.length - 1) * SYMBOLS;
    int best = 0;
    for (int k = 1; k < SYMBOLS; k++) {
      best = all[start + k] > all[start + best] ? k : best;
    }
    return best;
  }

  @Test
  void withoutTemperatureItTakesTheBestOfAForwardPass() {
    for (int[] prompt : new int[][] {{4}, {1, 7, 2}}) {
      int[] written = generation.temperature(0).sample(prompt, 8, 1);
      int[] all = prompt;
      for (int symbol : written) {
        assertThat(symbol).isEqualTo(next(all));
        all = Arrays.copyOf(all, all.length + 1);
        all[all.length - 1] = symbol;
      }
      assertThat(generation.top(1).sample(prompt, 8, 5)).containsExactly(written);
    }
  }

  @Test
  void aSeedYieldsTheSameSymbols() {
    int[] one = generation.temperature(5).sample(new int[] {3}, 11, 1);
    assertThat(generation.temperature(5).sample(new int[] {3}, 11, 1)).containsExactly(one);
    assertThat(generation.temperature(5).sample(new int[] {3}, 11, 2)).isNotEqualTo(one);
    for (int k : one) {
      assertThat(k).isBetween(0, SYMBOLS - 1);
    }
  }

  @Test
  void messages() {
    assertThatThrownBy(() -> generation.temperature(-1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[generate] the temperature must be finite and at least 0; got -1.0.");
    assertThatThrownBy(() -> generation.top(0))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[generate] there must be at least 1 symbol to sample from; got 0.");
    assertThatThrownBy(() -> generation.sample(new int[] {1, 2}, 11, 1))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[generate] the prompt must have a symbol, and the caches room for it and the new"
                + " symbols; got 2 and 11 symbols for room for 12; enlarge the caches in step.");
  }
}
