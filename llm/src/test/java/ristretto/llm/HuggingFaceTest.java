package ristretto.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.kernels.FileFormatException;
import ristretto.llm.gguf.Gguf;
import ristretto.llm.gguf.GgufTensor;
import ristretto.llm.gguf.GgufType;
import ristretto.llm.huggingface.HuggingFace;
import ristretto.llm.json.Json;
import ristretto.llm.token.Tokenizer;

/** Checkpoints in Hugging Face's layout against GGUF files of the same networks. */
class HuggingFaceTest {
  private static final Map<String, String> PARTS =
      Map.ofEntries(
          Map.entry("attn_norm", "input_layernorm"),
          Map.entry("ffn_norm", "post_attention_layernorm"),
          Map.entry("attn_qkv", "self_attn.qkv_proj"),
          Map.entry("attn_q", "self_attn.q_proj"),
          Map.entry("attn_k", "self_attn.k_proj"),
          Map.entry("attn_v", "self_attn.v_proj"),
          Map.entry("attn_q_norm", "self_attn.q_norm"),
          Map.entry("attn_k_norm", "self_attn.k_norm"),
          Map.entry("attn_output", "self_attn.o_proj"),
          Map.entry("ffn_gate", "mlp.gate_proj"),
          Map.entry("ffn_up", "mlp.up_proj"),
          Map.entry("ffn_down", "mlp.down_proj"));

  private static final Map<String, String> GPT2_PARTS =
      Map.of(
          "attn_norm", "ln_1",
          "ffn_norm", "ln_2",
          "attn_qkv", "attn.c_attn",
          "attn_output", "attn.c_proj",
          "ffn_up", "mlp.c_fc",
          "ffn_down", "mlp.c_proj");

  @TempDir Path folder;

  private final Map<String, Object> config = new TreeMap<>();

  private void write(String file, Map<String, Object> content) throws IOException {
    Files.writeString(folder.resolve(file), Json.write(content));
  }

  /** Name of a tensor in a checkpoint. */
  private static String name(String own, String architecture) {
    boolean gpt = architecture.equals("gpt2");
    if (!own.startsWith("blk.")) {
      String name =
          switch (own) {
            case "token_embd.weight" -> gpt ? "wte.weight" : "embed_tokens.weight";
            case "position_embd.weight" -> "wpe.weight";
            default -> own.replace("output_norm", gpt ? "ln_f" : "norm");
          };
      return (gpt ? "transformer." : "model.") + name;
    }
    String[] parts = own.split("\\.");
    String part = (gpt ? GPT2_PARTS : PARTS).get(parts[2]);
    if (architecture.equals("phi3") && parts[2].equals("ffn_up")) {
      part = "mlp.gate_up_proj";
    }
    return (gpt ? "transformer.h." : "model.layers.") + parts[1] + "." + part + "." + parts[3];
  }

  /** Writes the weights of a network as a checkpoint has them. */
  private void weights(Context ctx, TinyModel model, String architecture) {
    var all = new LinkedHashMap<String, Tensor<?>>();
    for (GgufTensor t : model.tensors()) {
      if (t.name().startsWith("rope_factors")) {
        continue;
      }
      float[][] rows = model.weight(t.name());
      if (architecture.equals("llama") && t.name().matches(".*attn_[qk]\\.weight")) {
        rows = halves(rows);
      }
      Tensor<?> tensor = t.shape().rank() == 1 ? ctx.tensor(rows[0]) : ctx.tensor(rows);
      if (architecture.equals("gpt2") && t.shape().rank() == 2 && t.name().startsWith("blk.")) {
        tensor = ctx.eval(tensor.t());
      }
      all.put(name(t.name(), architecture), tensor);
    }
    if (architecture.equals("gpt2")) {
      all.put("transformer.h.0.attn.bias", ctx.tensor(new float[] {1}));
    }
    ctx.saveAll(folder.resolve("model.safetensors"), all);
  }

  /** Rows of heads with those of equal parity adjacent. */
  private static float[][] halves(float[][] rows) {
    var all = new float[rows.length][];
    int half = TinyModel.HEAD / 2;
    for (int r = 0; r < rows.length; r++) {
      int i = r % TinyModel.HEAD;
      all[r - i + i / 2 + i % 2 * half] = rows[r];
    }
    return all;
  }

  private void settings(String type) {
    boolean gpt = type.equals("gpt2");
    config.put("model_type", type);
    config.put(gpt ? "n_embd" : "hidden_size", TinyModel.WIDTH);
    config.put(gpt ? "n_layer" : "num_hidden_layers", TinyModel.LAYERS);
    config.put(gpt ? "n_head" : "num_attention_heads", TinyModel.HEADS);
    config.put(gpt ? "n_inner" : "intermediate_size", TinyModel.WIDE);
    config.put(gpt ? "n_positions" : "max_position_embeddings", TinyModel.CONTEXT);
    config.put(gpt ? "layer_norm_epsilon" : "rms_norm_eps", TinyModel.EPSILON);
    config.put("vocab_size", TinyModel.WORDS);
    if (!gpt) {
      config.put("num_key_value_heads", TinyModel.KEY_HEADS);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "llama, llama",
    "mistral, llama",
    "qwen2, qwen2",
    "qwen3, qwen3",
    "phi3, phi3",
    "gpt2, gpt2"
  })
  void checkpointsGiveTheLogitsOfGgufFiles(String type, String architecture) throws IOException {
    settings(type);
    Map<String, Object> more = new LinkedHashMap<>();
    if (type.equals("mistral")) {
      config.put("sliding_window", 3);
      more.put("attention.sliding_window", 3);
    }
    if (type.equals("phi3")) {
      config.put("original_max_position_embeddings", 32);
      double factor = Math.sqrt(1 + Math.log(2) / Math.log(32));
      more.put("rope.scaling.original_context_length", 32);
      more.put("rope.scaling.attn_factor", (float) factor);
    }
    var model = new TinyModel();
    Path file = model.written(folder, GgufType.F32, architecture, more);
    if (type.equals("phi3")) {
      config.put(
          "rope_scaling",
          Map.of(
              "type", "longrope",
              "short_factor", numbers(model.weight("rope_factors_short.weight")[0]),
              "long_factor", numbers(model.weight("rope_factors_long.weight")[0])));
    }
    write("config.json", config);
    int[] tokens = {3, 139, 0, 3, 17, 200};
    try (Context ctx = Context.open()) {
      weights(ctx, model, architecture);
      float[] wanted = LanguageModel.open(ctx, file).logits(tokens).toFloatArray();
      float[] got = LanguageModel.open(ctx, folder).logits(tokens).toFloatArray();
      assertThat(got).hasSize(wanted.length);
      for (int k = 0; k < got.length; k++) {
        assertThat(got[k]).as("logit %s", k).isCloseTo(wanted[k], within(1e-5f));
      }
    }
  }

  private static List<Object> numbers(float[] values) {
    var all = new ArrayList<>();
    for (float v : values) {
      all.add((double) v);
    }
    return all;
  }

  @Test
  void frequenciesOfLlama3() throws IOException {
    settings("llama");
    config.put("rope_theta", 500_000.0);
    config.put("head_dim", 128);
    config.put(
        "rope_scaling",
        Map.of(
            "rope_type", "llama3",
            "factor", 8.0,
            "low_freq_factor", 1.0,
            "high_freq_factor", 4.0,
            "original_max_position_embeddings", 8192));
    try (Gguf file = opened()) {
      float[] factors =
          file.tensor("rope_freqs.weight").data().toArray(java.lang.foreign.ValueLayout.JAVA_FLOAT);
      assertThat(factors).hasSize(64);
      assertThat(factors[0]).isEqualTo(1);
      assertThat(factors[28]).isEqualTo(1);
      // 2 pi 500000^(30 / 64) = 2,948 positions a turn, so 2.7785 turns in 8,192 positions
      assertThat(factors[30]).isCloseTo(1.5534f, within(1e-3f));
      assertThat(factors[40]).isEqualTo(8);
      assertThat(factors[63]).isEqualTo(8);
      assertThat(file.number("llama.rope.freq_base")).contains(500_000.0);
    }
  }

  private Gguf opened() throws IOException {
    write("config.json", config);
    try (Context ctx = Context.open()) {
      ctx.saveAll(
          folder.resolve("model.safetensors"),
          Map.of("model.norm.weight", ctx.tensor(new float[TinyModel.WIDTH])));
    }
    return HuggingFace.open(folder);
  }

  private Tokenizer tokenizer(Map<String, Object> file) throws IOException {
    settings("llama");
    write("tokenizer.json", file);
    try (Gguf gguf = opened()) {
      return Tokenizer.of(gguf);
    }
  }

  private static List<String> texts(Tokenizer t, List<Integer> tokens) {
    return tokens.stream().map(t.vocabulary()::text).toList();
  }

  private static Map<String, Object> bytePairs(Object... splitter) {
    var vocabulary = new LinkedHashMap<String, Object>();
    for (char c = 33; c < 127; c++) {
      vocabulary.put(String.valueOf(c), vocabulary.size());
    }
    for (String piece : List.of("Ġ", "ab", "Ġab", "abab")) {
      vocabulary.put(piece, vocabulary.size());
    }
    int next = vocabulary.size();
    return Json.object(
        "added_tokens",
        List.of(
            Json.object("id", next, "content", "<|begin|>", "special", true),
            Json.object("id", next + 1, "content", "<|im_end|>", "special", true)),
        "pre_tokenizer",
        Json.object("type", "Sequence", "pretokenizers", List.of(splitter)),
        "post_processor",
        Json.object(
            "type",
            "TemplateProcessing",
            "single",
            List.of(
                Json.object("SpecialToken", Json.object("id", "<|begin|>")),
                Json.object("Sequence", Json.object("id", "A")))),
        "model",
        Json.object(
            "type",
            "BPE",
            "vocab",
            vocabulary,
            "merges",
            List.of("a b", List.of("Ġ", "ab"), "ab ab")));
  }

  @Test
  void bytePairsOfATokenizerFile() throws IOException {
    write(
        "tokenizer_config.json",
        Json.object(
            "bos_token", Json.object("content", "<|begin|>"),
            "eos_token", "<|im_end|>",
            "chat_template", "{{ '<|im_start|>' }}"));
    Tokenizer t = tokenizer(bytePairs(Json.object("type", "ByteLevel")));
    assertThat(texts(t, t.prompt("abab ab"))).containsExactly("<|begin|>", "abab", "Ġab");
    assertThat(texts(t, t.encode("ab<|im_end|>", true))).containsExactly("ab", "<|im_end|>");
    assertThat(t.vocabulary().ends())
        .containsExactly(t.vocabulary().number("<|im_end|>").orElseThrow());
    assertThat(t.vocabulary().size()).isEqualTo(TinyModel.WORDS);
    assertThat(t.vocabulary().kind(TinyModel.WORDS - 1)).hasToString("UNUSED");
    assertThat(t.decode(t.encode("abab ab", false))).isEqualTo("abab ab");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|"
            + " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|"
            + " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
        "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}|"
            + " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
      })
  void patternsOfLlama3QwenAndMistral(String pattern) throws IOException {
    Tokenizer t =
        tokenizer(
            bytePairs(
                Json.object("type", "Split", "pattern", Json.object("Regex", pattern)),
                Json.object("type", "ByteLevel", "use_regex", false)));
    assertThat(texts(t, t.encode("abab ab12", true))).containsExactly("abab", "Ġab", "1", "2");
  }

  @Test
  void piecesOfATokenizerFile() throws IOException {
    var vocabulary = new LinkedHashMap<String, Object>();
    List.of("<unk>", "<s>", "</s>").forEach(text -> vocabulary.put(text, vocabulary.size()));
    for (int b = 0; b < 256; b++) {
      vocabulary.put(String.format(Locale.ROOT, "<0x%02X>", b), vocabulary.size());
    }
    for (String piece : List.of("▁", "a", "b", "c", "ab", "bc", "▁a", "abc")) {
      vocabulary.put(piece, vocabulary.size());
    }
    write(
        "tokenizer_config.json",
        Json.object("bos_token", "<s>", "eos_token", "</s>", "add_bos_token", true));
    Tokenizer t =
        tokenizer(
            Json.object(
                "added_tokens",
                List.of(Json.object("id", 1, "content", "<s>", "special", true)),
                "normalizer",
                Json.object(
                    "type",
                    "Sequence",
                    "normalizers",
                    List.of(Json.object("type", "Prepend", "prepend", "▁"))),
                "model",
                Json.object(
                    "type",
                    "BPE",
                    "unk_token",
                    "<unk>",
                    "byte_fallback",
                    true,
                    "vocab",
                    vocabulary,
                    "merges",
                    List.of("a b", "b c", "▁ a", "ab c"))));
    assertThat(texts(t, t.prompt("abc bca ü")))
        .containsExactly("<s>", "▁", "abc", "▁", "bc", "a", "▁", "<0xC3>", "<0xBC>");
    assertThat(t.decode(t.encode("abc bca ü", false))).isEqualTo("abc bca ü");
  }

  @Test
  void checkpointsOfOtherKindsAreRefused() throws IOException {
    assertThatThrownBy(() -> HuggingFace.open(folder))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[load] the folder of a model must have config.json; got %s without it; check the"
                + " path.",
            folder);
    Path file = folder.resolve("config.json");
    Files.writeString(file, "[]", StandardCharsets.UTF_8);
    refused("[load] settings must be a JSON object; got %s; download it again.".formatted(file));
    Files.writeString(file, "{", StandardCharsets.UTF_8);
    assertThatThrownBy(() -> HuggingFace.open(folder))
        .hasMessageStartingWith("[load] the text of " + file + " must be JSON; got ");
    write("config.json", Map.of());
    refused(
        "[load] the settings must have model_type; got %s without it; it is no language model, or of an unknown kind."
            .formatted(file));
    write("config.json", Map.of("model_type", "bert"));
    refused(
        "[load] model_type must be llama, mistral, qwen2, qwen3, phi3 or gpt2; got bert in %s; choose another model."
            .formatted(file));
    settings("llama");
    config.put("hidden_size", "wide");
    write("config.json", config);
    refused(
        "[load] hidden_size must be a whole number; got wide in %s; check the settings."
            .formatted(file));
    settings("llama");
    config.put("hidden_act", "relu");
    write("config.json", config);
    refused(
        "[load] hidden_act must be silu or swish for llama; got relu in %s; choose another model."
            .formatted(file));
    config.remove("hidden_act");
    config.put("rope_scaling", Map.of("rope_type", "yarn", "factor", 2.0));
    write("config.json", config);
    refused(
        "[load] the scaling of rotations must be linear, llama3 or longrope; got yarn in %s; choose another model."
            .formatted(file));
    config.remove("rope_scaling");
    config.put("num_attention_heads", 0);
    write("config.json", config);
    refused(
        "[load] the width of a head must be from 1 to 65536; got 0 for 0 heads in %s; check the settings."
            .formatted(file));
    config.put("num_attention_heads", 4);
    config.put("head_dim", -2);
    write("config.json", config);
    refused(
        "[load] the width of a head must be from 1 to 65536; got -2 for 4 heads in %s; check the settings."
            .formatted(file));
    config.remove("head_dim");
    write("config.json", config);
    try (Context ctx = Context.open()) {
      ctx.saveAll(
          folder.resolve("model.safetensors"),
          Map.of("model.pooler.weight", ctx.tensor(new float[1])));
      refused(
          "[load] tensors must be those of llama; got 'model.pooler.weight' in %s; choose another model."
              .formatted(folder));
      ctx.saveAll(
          folder.resolve("model.safetensors"), Map.of("model.norm.weight", ctx.tensor(new int[1])));
      refused(
          "[load] weights must be F32, F16 or BF16; got I32 for 'model.norm.weight' in %s; choose another model."
              .formatted(folder));
    }
  }

  @Test
  void tokenizersOfOtherKindsAreRefused() throws IOException {
    Path file = folder.resolve("tokenizer.json");
    assertThatThrownBy(() ->
            tokenizer(Json.object("model", Json.object("type", "Unigram", "vocab", Map.of()))))
        .hasMessage(
            "[load] the tokenizer must be of type BPE; got Unigram in %s; choose another model."
                .formatted(file));
    assertThatThrownBy(() -> tokenizer(bytePairs(Json.object("type", "Whitespace"))))
        .hasMessage(
            "[load] the pre_tokenizer must split like that of GPT-2, Llama 3, Qwen 2, SmolLM or Tekken; got [Whitespace] in %s; choose another model."
                .formatted(file));
    assertThatThrownBy(() ->
            tokenizer(
                Json.object(
                    "model", Json.object("vocab", Json.object("a", -1), "merges", List.of()))))
        .hasMessage(
            "[load] tokens must have numbers from 0 to 4194303; got -1 for 'a' in %s; download it again."
                .formatted(file));
  }

  private void refused(String message) {
    assertThatThrownBy(() -> HuggingFace.open(folder))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(message);
  }
}
