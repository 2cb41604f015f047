package ristretto.llm.huggingface;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ristretto.kernels.FileFormatException;

/** Structures of networks, with the names of their tensors in checkpoints and in GGUF files. */
enum Architecture {
  LLAMA("llama"),
  QWEN2("qwen2"),
  QWEN3("qwen3"),
  PHI3("phi3"),
  GPT2("gpt2");

  private static final Pattern LAYER = Pattern.compile("(?:layers|h)\\.(\\d+)\\.(.+)\\.(\\w+)");

  /** Names within a layer. */
  private static final Map<String, String> PARTS =
      Map.ofEntries(
          Map.entry("input_layernorm", "attn_norm"),
          Map.entry("self_attn.q_proj", "attn_q"),
          Map.entry("self_attn.k_proj", "attn_k"),
          Map.entry("self_attn.v_proj", "attn_v"),
          Map.entry("self_attn.q_norm", "attn_q_norm"),
          Map.entry("self_attn.k_norm", "attn_k_norm"),
          Map.entry("self_attn.qkv_proj", "attn_qkv"),
          Map.entry("self_attn.o_proj", "attn_output"),
          Map.entry("post_attention_layernorm", "ffn_norm"),
          Map.entry("mlp.gate_proj", "ffn_gate"),
          Map.entry("mlp.up_proj", "ffn_up"),
          Map.entry("mlp.gate_up_proj", "ffn_up"),
          Map.entry("mlp.down_proj", "ffn_down"),
          Map.entry("ln_1", "attn_norm"),
          Map.entry("ln_2", "ffn_norm"),
          Map.entry("attn.c_attn", "attn_qkv"),
          Map.entry("attn.c_proj", "attn_output"),
          Map.entry("mlp.c_fc", "ffn_up"),
          Map.entry("mlp.c_proj", "ffn_down"));

  /** Names outside of layers. */
  private static final Map<String, String> OTHERS =
      Map.of(
          "embed_tokens.weight", "token_embd.weight",
          "norm.weight", "output_norm.weight",
          "lm_head.weight", "output.weight",
          "wte.weight", "token_embd.weight",
          "wpe.weight", "position_embd.weight",
          "ln_f.weight", "output_norm.weight",
          "ln_f.bias", "output_norm.bias");

  /** Name of the architecture in GGUF files. */
  final String label;

  Architecture(String label) {
    this.label = label;
  }

  /**
   * Architecture of a checkpoint.
   *
   * @throws FileFormatException if it is not known
   */
  static Architecture of(Settings config) {
    String name = config.text("model_type").orElseThrow(() -> config.missing("model_type"));
    return switch (name) {
      case "llama", "mistral" -> LLAMA;
      case "qwen2" -> QWEN2;
      case "qwen3" -> QWEN3;
      case "phi3" -> PHI3;
      case "gpt2" -> GPT2;
      default ->
          throw new FileFormatException(
              "[load] model_type must be llama, mistral, qwen2, qwen3, phi3 or gpt2; got %s in %s; choose another model."
                  .formatted(name, config.file()));
    };
  }

  /** Name of a tensor in a GGUF file; empty for a tensor that is computed, such as a mask. */
  Optional<String> tensor(String name) {
    String own = name.replaceFirst("^(?:model|transformer)\\.", "");
    String other = OTHERS.get(own);
    if (other != null) {
      return Optional.of(other);
    }
    Matcher layer = LAYER.matcher(own);
    if (layer.matches()) {
      String part = PARTS.get(layer.group(2));
      if (part != null) {
        return Optional.of("blk." + layer.group(1) + "." + part + "." + layer.group(3));
      }
    }
    return Optional.empty();
  }

  /** Returns true for tensors of checkpoints that hold no weights. */
  static boolean isComputed(String name) {
    return name.endsWith(".attn.bias")
        || name.endsWith(".attn.masked_bias")
        || name.endsWith("rotary_emb.inv_freq");
  }

  /** Returns true if checkpoints have the matrix as {@code [in, out]}. */
  boolean isTransposed(String name) {
    return this == GPT2 && name.matches(".*\\.c_(?:attn|proj|fc)\\.weight");
  }
}
