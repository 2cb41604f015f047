package ristretto.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.type.Shape;
import ristretto.kernels.FileFormatException;
import ristretto.llm.generate.Generation;
import ristretto.llm.generate.Generator;
import ristretto.llm.generate.GeneratorOptions;
import ristretto.llm.generate.Request;
import ristretto.llm.generate.Sampling;
import ristretto.llm.gguf.GgufTensor;
import ristretto.llm.gguf.GgufType;
import ristretto.llm.gguf.GgufWriter;

/** Small networks of random weights against loops in double. */
class NetworkTest {
  private static final int WIDTH = TinyModel.WIDTH;
  private static final int WORDS = TinyModel.WORDS;
  private static final int LAYERS = TinyModel.LAYERS;

  @TempDir Path folder;

  private final TinyModel model = new TinyModel();

  @ParameterizedTest
  @EnumSource(names = {"F32", "Q8_0", "Q4_0"})
  void logitsAreThoseOfLoops(GgufType type) throws IOException {
    check(type, "llama", Map.of());
  }

  @ParameterizedTest
  @ValueSource(strings = {"qwen2", "qwen3", "phi3", "gpt2"})
  void otherNetworks(String architecture) throws IOException {
    check(GgufType.F32, architecture, Map.of());
    check(GgufType.Q8_0, architecture, Map.of());
  }

  @Test
  void longContexts() throws IOException {
    check(GgufType.F32, "llama", Map.of("attention.sliding_window", 3));
    check(GgufType.F32, "llama", Map.of("rope.scaling.type", "linear", "rope.scaling.factor", 4f));
    check(
        GgufType.F32,
        "phi3",
        Map.of("rope.scaling.original_context_length", 32, "rope.scaling.attn_factor", 1.25f));
  }

  private void check(GgufType type, String architecture, Map<String, Object> more)
      throws IOException {
    var own = new TinyModel();
    Path file = own.written(folder, type, architecture, more);
    int[] tokens = {3, 139, 0, 3, 17, 200};
    double[][] wanted = new Reference(own, architecture, more).logits(tokens);
    try (Context ctx = Context.open()) {
      LanguageModel opened = LanguageModel.open(ctx, file);
      float[] all = opened.logits(tokens).toFloatArray();
      assertThat(all).hasSize(tokens.length * WORDS);
      for (int k = 0; k < all.length; k++) {
        assertThat((double) all[k])
            .as("%s %s", architecture, k)
            .isCloseTo(wanted[k / WORDS][k % WORDS], within(1e-5));
      }
      // With a cache, in steps of different sizes.
      var generator = new Generator(opened, GeneratorOptions.of(opened).block(4));
      var prompt = Arrays.stream(tokens).boxed().toList();
      Generation g = generator.submit(new Request(prompt, Sampling.GREEDY, 3), _ -> {});
      g.await();
      var sofar = new ArrayList<>(prompt);
      for (int token : g.tokens()) {
        double[][] now =
            new Reference(own, architecture, more)
                .logits(sofar.stream().mapToInt(t -> t).toArray());
        double[] last = now[now.length - 1];
        assertThat(last[token]).isCloseTo(Arrays.stream(last).max().orElseThrow(), within(1e-4));
        sofar.add(token);
      }
    }
  }

  private void refused(String message, Map<String, Object> metadata) throws IOException {
    Path file = folder.resolve("bad.gguf");
    GgufWriter.write(file, metadata, model.tensors());
    try (Context ctx = Context.open()) {
      assertThatThrownBy(() -> LanguageModel.open(ctx, file))
          .isInstanceOf(FileFormatException.class)
          .hasMessage(message.formatted(file));
    }
  }

  @Test
  void otherFiles() throws IOException {
    model.written(folder, GgufType.F32);
    refused(
        "[load] the metadata must have general.architecture; got %s without it; it is no language"
            + " model, or damaged.",
        Map.of());
    Map<String, Object> other = TinyModel.metadata("llama");
    other.remove("llama.context_length");
    refused(
        "[load] the metadata must have llama.context_length; got %s without it; it is no language"
            + " model, or damaged.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.attention.head_count_kv", 3);
    refused(
        "[load] the heads of keys must divide those of queries; got other metadata in %s; the file"
            + " is damaged.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.block_count", 0);
    refused(
        "[load] llama.block_count must be from 1 to 2^24; got other metadata in %s; the file is"
            + " damaged.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.rope.scaling.type", "yarn");
    refused(
        "[load] the scaling of rotations must be none, linear or longrope; got yarn in %s; choose"
            + " another model.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.rope.dimension_count", 10);
    refused(
        "[load] rotations must fit into a head; got other metadata in %s; the file is damaged.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.block_count", LAYERS + 1);
    refused(
        "[load] the file must have a tensor 'blk.2.attn_norm.weight'; got %s with 20 others; check"
            + " that the file is complete.",
        other);
    other = TinyModel.metadata("llama");
    other.put("llama.embedding_length", 2 * WIDTH);
    refused(
        "[load] token_embd.weight must have the shape [259,64]; got f32[259,32] in %s; the file is"
            + " damaged or of another model.",
        other);
  }

  @Test
  void otherArchitecturesAndTypes() throws IOException {
    model.written(folder, GgufType.F32);
    Map<String, Object> other = new LinkedHashMap<>();
    TinyModel.metadata("rwkv")
        .forEach((key, value) -> other.put(key.replace("llama.", "rwkv."), value));
    refused(
        "[load] the architecture must be llama, qwen2, qwen3, phi3 or gpt2; got rwkv in %s; choose"
            + " another model.",
        other);
    model
        .tensors()
        .set(
            0,
            new GgufTensor(
                "token_embd.weight",
                GgufType.Q5_0,
                Shape.of(WORDS, WIDTH),
                MemorySegment.ofArray(new byte[22 * WORDS])));
    refused(
        "[load] tensors must be F32, F16, BF16, or matrices of Q8_0, Q4_0, Q4_K or Q6_K; got"
            + " token_embd.weight q5_0[259,32] in %s; quantize the model to one of these.",
        TinyModel.metadata("llama"));
  }
}
