package ristretto.llm.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;
import ristretto.llm.LanguageModel;
import ristretto.llm.TinyModel;
import ristretto.llm.gguf.GgufType;

class GeneratorTest {
  private static final Listener NONE = _ -> {};

  @TempDir Path folder;

  private Context ctx;
  private LanguageModel model;

  @BeforeEach
  void open() throws IOException {
    ctx = Context.open();
    model = LanguageModel.open(ctx, new TinyModel().written(folder, GgufType.Q8_0));
  }

  @AfterEach
  void close() {
    ctx.close();
  }

  private static List<Integer> prompt(int length, long seed) {
    return new Random(seed).ints(length, 3, 259).boxed().toList();
  }

  /** Greedy continuation, each token from the logits of the whole sequence. */
  private List<Integer> expected(List<Integer> prompt, int count) {
    var all = new ArrayList<Integer>(prompt);
    for (int k = 0; k < count; k++) {
      float[] logits = model.logits(all.stream().mapToInt(t -> t).toArray()).toFloatArray();
      int from = logits.length - 259;
      int best =
          IntStream.range(0, 259)
              .reduce((a, b) -> logits[from + b] > logits[from + a] ? b : a)
              .orElseThrow();
      if (best == 2) {
        break;
      }
      all.add(best);
    }
    return all.subList(prompt.size(), all.size());
  }

  private GeneratorOptions options() {
    return GeneratorOptions.of(model);
  }

  @Test
  void tokensAreThoseOfWholeSequences() {
    for (int block : new int[] {1, 3, 512}) {
      var generator = new Generator(model, options().block(block));
      for (int length : new int[] {1, 2, 15, 16, 17, 31}) {
        List<Integer> prompt = prompt(length, length);
        Generation g = generator.submit(new Request(prompt, Sampling.GREEDY, 20), NONE);
        g.await();
        assertThat(g.tokens())
            .as("block %s, length %s", block, length)
            .isEqualTo(expected(prompt, 20));
      }
    }
  }

  @Test
  void requestsOfDifferentLengthsShareSteps() {
    var generator = new Generator(model, options().sequences(3).cacheTokens(256));
    var all = new ArrayList<Generation>();
    for (int k = 0; k < 7; k++) {
      all.add(
          generator.submit(new Request(prompt(1 + 5 * k, k), Sampling.GREEDY, 3 + 4 * k), NONE));
    }
    assertThat(generator.active()).isEqualTo(7);
    while (generator.step()) {
      assertThat(generator.active()).isBetween(0, 7);
    }
    assertThat(generator.active()).isZero();
    for (int k = 0; k < 7; k++) {
      assertThat(all.get(k).tokens()).isEqualTo(expected(prompt(1 + 5 * k, k), 3 + 4 * k));
      assertThat(all.get(k).ending())
          .contains(all.get(k).tokens().size() < 3 + 4 * k ? Ending.STOP : Ending.LENGTH);
    }
  }

  @Test
  void laterRequestsWaitWhenTheCacheIsFull() {
    // Both grow to four pages, and there are four.
    var generator = new Generator(model, options().sequences(2).longest(64).cacheTokens(64));
    Generation first = generator.submit(new Request(prompt(10, 1), Sampling.GREEDY, 45), NONE);
    Generation second = generator.submit(new Request(prompt(12, 2), Sampling.GREEDY, 45), NONE);
    while (generator.step()) {}
    assertThat(first.tokens()).isEqualTo(expected(prompt(10, 1), 45));
    assertThat(second.tokens()).isEqualTo(expected(prompt(12, 2), 45));
  }

  @Test
  void promptsWithTheSameBeginAreReadOnce() {
    var generator = new Generator(model, options());
    List<Integer> prompt = prompt(20, 1);
    Generation first = generator.submit(new Request(prompt, Sampling.GREEDY, 9), NONE);
    first.await();
    assertThat(first.reused()).isZero();
    var longer = new ArrayList<>(prompt);
    longer.addAll(first.tokens());
    longer.addAll(prompt(3, 2));
    Generation second = generator.submit(new Request(longer, Sampling.GREEDY, 9), NONE);
    second.await();
    // The last token was not evaluated.
    assertThat(second.reused()).isEqualTo(28);
    assertThat(second.tokens()).isEqualTo(expected(longer, 9));
    Generation again = generator.submit(new Request(prompt, Sampling.GREEDY, 9), NONE);
    again.await();
    assertThat(again.reused()).isEqualTo(19);
    assertThat(again.tokens()).isEqualTo(first.tokens());
  }

  @Test
  void sequencesEndAtTheirLongest() {
    var generator = new Generator(model, options().longest(24));
    Generation g = generator.submit(new Request(prompt(10, 3), Sampling.GREEDY, 1000), NONE);
    g.await();
    assertThat(g.tokens()).hasSize(14);
    assertThat(g.ending()).contains(Ending.LENGTH);
    assertThatThrownBy(() -> generator.submit(new Request(prompt(24, 3), Sampling.GREEDY, 1), NONE))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[generate] the prompt must have fewer tokens than the longest sequence; got 24 for 24;"
                + " shorten it, or open the generator with a larger context.");
  }

  @Test
  void theSameSeedDrawsTheSame() {
    var generator = new Generator(model, options());
    Sampling hot = Sampling.DEFAULT.temperature(2).topK(0).topP(1).minP(0);
    var texts = new ArrayList<List<Integer>>();
    for (long seed : new long[] {1, 1, 2}) {
      Generation g = generator.submit(new Request(prompt(5, 5), hot.seed(seed), 20), NONE);
      g.await();
      texts.add(g.tokens());
    }
    assertThat(texts.get(1)).isEqualTo(texts.get(0));
    assertThat(texts.get(2)).isNotEqualTo(texts.get(0));
  }

  @Test
  void textIsGivenPieceByPiece() {
    var generator = new Generator(model, options());
    var pieces = new ArrayList<String>();
    var ended = new ArrayList<Generation>();
    Listener listener =
        new Listener() {
          @Override
          public void text(String piece) {
            pieces.add(piece);
          }

          @Override
          public void ended(Generation generation) {
            ended.add(generation);
          }
        };
    Generation g = generator.submit(new Request(prompt(4, 8), Sampling.GREEDY, 30), listener);
    String text = g.await();
    assertThat(String.join("", pieces)).isEqualTo(text);
    assertThat(text).isEqualTo(model.tokenizer().orElseThrow().decode(g.tokens()));
    assertThat(ended).containsExactly(g);
    assertThat(generator.generate("Hi", Sampling.GREEDY, 0)).isEmpty();
  }

  @Test
  void cancelledRequestsEnd() {
    var generator = new Generator(model, options().sequences(1));
    Generation first = generator.submit(new Request(prompt(4, 8), Sampling.GREEDY, 50), NONE);
    Generation second = generator.submit(new Request(prompt(4, 9), Sampling.GREEDY, 50), NONE);
    generator.step();
    generator.step();
    int sofar = first.tokens().size();
    first.cancel();
    second.cancel();
    assertThat(generator.step()).isFalse();
    assertThat(first.ending()).contains(Ending.CANCELLED);
    assertThat(second.ending()).contains(Ending.CANCELLED);
    assertThat(first.tokens()).hasSize(sofar);
    assertThat(second.tokens()).isEmpty();
  }

  @Test
  void anErrorOfAListenerEndsItsRequestOnly() {
    var generator = new Generator(model, options());
    Generation bad =
        generator.submit(
            new Request(prompt(4, 8), Sampling.GREEDY, 10),
            _ -> {
              throw new IllegalStateException("gone");
            });
    Generation good = generator.submit(new Request(prompt(4, 9), Sampling.GREEDY, 10), NONE);
    good.await();
    assertThat(good.tokens()).isEqualTo(expected(prompt(4, 9), 10));
    assertThat(bad.ending()).contains(Ending.FAILED);
    assertThatThrownBy(bad::await).isInstanceOf(IllegalStateException.class).hasMessage("gone");
  }

  @Test
  void aListenerThatFailsAtTheEndLeavesTheBatch() {
    var generator = new Generator(model, options());
    Listener bad =
        new Listener() {
          @Override
          public void text(String piece) {}

          @Override
          public void ended(Generation generation) {
            throw new IllegalStateException("gone");
          }
        };
    Generation g = generator.submit(new Request(prompt(4, 8), Sampling.GREEDY, 3), bad);
    g.await();
    assertThat(generator.active()).isZero();
    assertThat(generator.step()).isFalse();
    assertThat(g.tokens()).isEqualTo(expected(prompt(4, 8), 3));
  }

  @Test
  void severalThreadsMayWait() {
    var generator = new Generator(model, options().sequences(2).cacheTokens(256));
    var all = new ArrayList<CompletableFuture<List<Integer>>>();
    for (int k = 0; k < 6; k++) {
      int seed = k;
      all.add(
          CompletableFuture.supplyAsync(() -> {
            Request request = new Request(prompt(4, seed), Sampling.GREEDY, 12);
            Generation g = generator.submit(request, NONE);
            g.await();
            return g.tokens();
          }));
    }
    for (int k = 0; k < 6; k++) {
      assertThat(all.get(k).join()).isEqualTo(expected(prompt(4, k), 12));
    }
  }

  @Test
  void wrongRequestsAreRefused() {
    var generator = new Generator(model, options());
    refused(
        "[generate] tokens must be from 0 to 258; got 259; use the tokenizer of the model.",
        () -> generator.submit(new Request(List.of(259), Sampling.GREEDY, 1), NONE));
    refused(
        "[generate] the prompt must have a token; got none; add the start token.",
        () -> new Request(List.of(), Sampling.GREEDY, 1));
    refused(
        "[generate] the number of tokens must not be negative; got -1.",
        () -> new Request(List.of(1), Sampling.GREEDY, -1));
    refused(
        "[generate] stop texts must not be empty; got an empty one; remove it.",
        () -> new Request(List.of(1), Sampling.GREEDY, 1, Collections.nCopies(1, ""), false));
    refused(
        "[generate] the number of sequences must be from 1 to 1024; got 0.",
        () -> options().sequences(0));
    refused(
        "[generate] the number of tokens of a sequence must be from 2 to 2^24; got 1.",
        () -> options().longest(1));
    refused(
        "[generate] the number of tokens in the cache must be at least that of a sequence (64) and"
            + " at most 2^27; got 63.",
        () -> options().cacheTokens(63));
    refused(
        "[generate] the number of tokens of a block must be from 1 to 65536; got 0.",
        () -> options().block(0));
  }

  private static void refused(String message, Runnable code) {
    assertThatThrownBy(code::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }
}
