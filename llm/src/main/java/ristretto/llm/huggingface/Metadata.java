package ristretto.llm.huggingface;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import ristretto.kernels.FileFormatException;

/** Metadata of a GGUF file that correspond to the settings of a checkpoint. */
record Metadata(Settings config, Architecture architecture, Map<String, Object> all) {
  private static final double DEFAULT_BASE = 10_000;
  private static final int WIDEST_HEAD = 1 << 16;
  private static final List<String> ACTIVATIONS = List.of("silu", "swish");
  private static final List<String> GPT2_ACTIVATIONS = List.of("gelu_new", "gelu_pytorch_tanh");

  Metadata(Settings config, Architecture architecture) {
    this(config, architecture, new LinkedHashMap<>());
    all.put("general.architecture", architecture.label);
    checkActivation();
    if (architecture == Architecture.GPT2) {
      gpt2();
    } else {
      llama();
    }
  }

  private void put(String key, Object value) {
    all.put(architecture.label + "." + key, value);
  }

  private void checkActivation() {
    boolean gpt2 = architecture == Architecture.GPT2;
    String key = gpt2 ? "activation_function" : "hidden_act";
    List<String> known = gpt2 ? GPT2_ACTIVATIONS : ACTIVATIONS;
    String name = config.text(key).orElse(known.getFirst());
    if (!known.contains(name)) {
      throw new FileFormatException(
          "[load] %s must be %s for %s; got %s in %s; choose another model."
              .formatted(key, String.join(" or ", known), architecture.label, name, config.file()));
    }
  }

  private void gpt2() {
    long width = config.size("n_embd");
    put("block_count", config.size("n_layer"));
    put("embedding_length", width);
    put("feed_forward_length", config.integer("n_inner").orElse(4 * width));
    put("attention.head_count", config.size("n_head"));
    put("context_length", config.integer("n_positions").orElseGet(() -> config.size("n_ctx")));
    put("attention.layer_norm_epsilon", config.number("layer_norm_epsilon").orElse(1e-5));
  }

  private void llama() {
    long heads = config.size("num_attention_heads");
    long width = config.size("hidden_size");
    int head = headWidth(config);
    put("block_count", config.size("num_hidden_layers"));
    put("embedding_length", width);
    put("feed_forward_length", config.size("intermediate_size"));
    put("attention.head_count", heads);
    put("attention.head_count_kv", config.integer("num_key_value_heads").orElse(heads));
    put("attention.key_length", (long) head);
    put("context_length", config.size("max_position_embeddings"));
    put("attention.layer_norm_rms_epsilon", config.number("rms_norm_eps").orElse(1e-6));
    config
        .number("partial_rotary_factor")
        .ifPresent(part -> put("rope.dimension_count", (long) (head * part)));
    if (config.truth("use_sliding_window").orElse(true)) {
      config.integer("sliding_window").ifPresent(w -> put("attention.sliding_window", w));
    }
    put("rope.freq_base", base(config));
    Optional<Settings> scaling = scaling(config);
    String kind = kind(config);
    switch (kind) {
      case "default", "llama3" -> {}
      case "linear" -> {
        put("rope.scaling.type", kind);
        put("rope.scaling.factor", factor(scaling.orElseThrow()));
      }
      case "longrope" -> {
        double original = original(config);
        double ratio = config.size("max_position_embeddings") / original;
        double factor = ratio <= 1 ? 1 : Math.sqrt(1 + Math.log(ratio) / Math.log(original));
        put("rope.scaling.type", kind);
        put("rope.scaling.original_context_length", (long) original);
        put(
            "rope.scaling.attn_factor",
            scaling.orElseThrow().number("attention_factor").orElse(factor));
      }
      default ->
          throw new FileFormatException(
              "[load] the scaling of rotations must be linear, llama3 or longrope; got %s in %s; choose another model."
                  .formatted(kind, config.file()));
    }
  }

  private static int headWidth(Settings config) {
    long heads = config.size("num_attention_heads");
    long width =
        config
            .integer("head_dim")
            .orElseGet(() -> heads == 0 ? 0 : config.size("hidden_size") / heads);
    if (width < 1 || width > WIDEST_HEAD) {
      throw new FileFormatException(
          "[load] the width of a head must be from 1 to %s; got %s for %s heads in %s; check the settings."
              .formatted(WIDEST_HEAD, width, heads, config.file()));
    }
    return (int) width;
  }

  /** Settings of the rotations; newer checkpoints have all of them in one object. */
  private static Optional<Settings> scaling(Settings config) {
    return config.object("rope_parameters").or(() -> config.object("rope_scaling"));
  }

  private static double base(Settings config) {
    return config
        .number("rope_theta")
        .or(() -> scaling(config).flatMap(s -> s.number("rope_theta")))
        .orElse(DEFAULT_BASE);
  }

  private static String kind(Settings config) {
    String kind =
        scaling(config)
            .flatMap(s -> s.text("rope_type").or(() -> s.text("type")))
            .orElse("default");
    return kind.equals("su") ? "longrope" : kind;
  }

  private static double factor(Settings scaling) {
    return scaling.number("factor").orElseThrow(() -> scaling.missing("factor"));
  }

  private static double original(Settings config) {
    String key = "original_max_position_embeddings";
    return scaling(config)
        .flatMap(s -> s.number(key))
        .or(() -> config.number(key))
        .orElseThrow(() -> config.missing(key));
  }

  /** Divisors of the rotations' frequencies, by the name of the tensor in a GGUF file. */
  static Map<String, float[]> factors(Settings config, Architecture architecture) {
    if (architecture == Architecture.GPT2) {
      return Map.of();
    }
    return switch (kind(config)) {
      case "llama3" -> Map.of("rope_freqs.weight", llama3(config));
      case "longrope" -> {
        Settings scaling = scaling(config).orElseThrow();
        yield Map.of(
            "rope_factors_short.weight", numbers(scaling, "short_factor"),
            "rope_factors_long.weight", numbers(scaling, "long_factor"));
      }
      default -> Map.of();
    };
  }

  private static float[] numbers(Settings scaling, String name) {
    List<?> all = scaling.list(name).orElseThrow(() -> scaling.missing(name));
    var numbers = new float[all.size()];
    for (int k = 0; k < numbers.length; k++) {
      numbers[k] = all.get(k) instanceof Number n ? n.floatValue() : Float.NaN;
    }
    return numbers;
  }

  /**
   * Divisors of Llama 3.1: those of long wavelengths are {@code factor}, those of short ones 1,
   * with a linear transition.
   */
  private static float[] llama3(Settings config) {
    Settings scaling = scaling(config).orElseThrow();
    double factor = factor(scaling);
    double low = scaling.number("low_freq_factor").orElse(1.0);
    double high = scaling.number("high_freq_factor").orElse(4.0);
    double original = original(config);
    int head = headWidth(config);
    var divisors = new float[head / 2];
    for (int i = 0; i < divisors.length; i++) {
      double wavelength = 2 * Math.PI * Math.pow(base(config), 2.0 * i / head);
      double turns = original / wavelength;
      double share = Math.clamp((turns - low) / (high - low), 0, 1);
      divisors[i] = (float) (1 / ((1 - share) / factor + share));
    }
    return divisors;
  }
}
