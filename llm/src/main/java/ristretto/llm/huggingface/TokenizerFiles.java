package ristretto.llm.huggingface;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import ristretto.expr.file.TensorFiles;
import ristretto.kernels.FileFormatException;
import ristretto.llm.token.Vocabulary.Kind;
import ristretto.llm.token.WordPatterns;

/** Metadata of a tokenizer as a GGUF file has them. */
final class TokenizerFiles {
  private static final String KEY = "tokenizer.ggml.";
  private static final int MOST_TOKENS = 1 << 22;

  private final Settings file;
  private final Settings model;
  private final Map<String, Object> metadata = new LinkedHashMap<>();
  private final Map<String, Integer> numbers = new HashMap<>();

  private TokenizerFiles(Settings file) {
    this.file = file;
    this.model = file.object("model").orElseThrow(() -> file.missing("model"));
  }

  /** Reads the tokenizer of a folder; empty if it has none. */
  static Map<String, Object> read(Path folder, Settings config) {
    Optional<Settings> file = Settings.read(folder.resolve("tokenizer.json"));
    if (file.isEmpty()) {
      return Map.of();
    }
    var tokenizer = new TokenizerFiles(file.get());
    tokenizer.tokens((int) Math.min(MOST_TOKENS, config.integer("vocab_size").orElse(0L)));
    tokenizer.model();
    tokenizer.roles(folder, config);
    return tokenizer.metadata;
  }

  private static int kind(Kind kind) {
    return kind.ordinal() + 1;
  }

  /**
   * Tokens with their kinds.
   *
   * @param least number of rows of the table of tokens, of which the last may have no text
   */
  private void tokens(int least) {
    Settings vocabulary = model.object("vocab").orElseThrow(() -> file.missing("model.vocab"));
    var kinds = new HashMap<Integer, Kind>();
    vocabulary.members().forEach((text, number) -> number((String) text, number));
    for (Settings added : file.objects("added_tokens")) {
      String text = added.text("content").orElseThrow(() -> file.missing("content"));
      int number = number(text, added.size("id"));
      boolean control = added.truth("special").orElse(false);
      kinds.put(number, control ? Kind.CONTROL : Kind.USER_DEFINED);
    }
    model
        .text("unk_token")
        .map(numbers::get)
        .ifPresent(unknown -> {
          if (isPieces()) {
            kinds.put(unknown, Kind.UNKNOWN);
          }
          metadata.put(KEY + "unknown_token_id", (long) unknown);
        });
    int count = Math.max(least, numbers.values().stream().mapToInt(n -> n + 1).max().orElse(0));
    var texts = new String[count];
    numbers.forEach((text, number) -> texts[number] = text);
    var types = new ArrayList<Long>();
    for (int k = 0; k < count; k++) {
      Kind kind = kinds.getOrDefault(k, Kind.NORMAL);
      if (texts[k] == null) {
        texts[k] = "[unused" + k + "]";
        kind = Kind.UNUSED;
      } else if (isPieces() && kind == Kind.NORMAL && texts[k].matches("<0x[0-9A-F]{2}>")) {
        kind = Kind.BYTE;
      }
      types.add((long) kind(kind));
    }
    metadata.put(KEY + "tokens", List.of(texts));
    metadata.put(KEY + "token_type", types);
  }

  private int number(String text, Object number) {
    if (!(number instanceof Long n) || n < 0 || n >= MOST_TOKENS) {
      throw new FileFormatException(
          "[load] tokens must have numbers from 0 to %s; got %s for '%s' in %s; download it again."
              .formatted(MOST_TOKENS - 1, number, text, file.file()));
    }
    numbers.put(text, (int) (long) n);
    return (int) (long) n;
  }

  /** Returns true for the pieces of SentencePiece, false for merges of bytes. */
  private boolean isPieces() {
    return model.truth("byte_fallback").orElse(false);
  }

  private void model() {
    String type = model.text("type").orElse("BPE");
    if (!type.equals("BPE")) {
      throw new FileFormatException(
          "[load] the tokenizer must be of type BPE; got %s in %s; choose another model."
              .formatted(type, file.file()));
    }
    List<String> merges = merges();
    if (isPieces()) {
      pieces(merges);
    } else {
      metadata.put(KEY + "model", "gpt2");
      metadata.put(KEY + "pre", patterns());
      metadata.put(KEY + "merges", merges);
    }
  }

  /** Merges as texts with a space between both pieces. */
  private List<String> merges() {
    var merges = new ArrayList<String>();
    for (Object merge : model.list("merges").orElseThrow(() -> file.missing("model.merges"))) {
      switch (merge) {
        case String text -> merges.add(text);
        case List<?> pair when pair.size() == 2 -> merges.add(pair.get(0) + " " + pair.get(1));
        default ->
            throw new FileFormatException(
                "[load] a merge must be two pieces; got %s in %s; download it again."
                    .formatted(merge, file.file()));
      }
    }
    return merges;
  }

  /**
   * Tokenizer of SentencePiece, whose merges are those of pieces with scores: the earlier a piece
   * is merged, the higher its score.
   */
  private void pieces(List<String> merges) {
    var scores = new HashMap<String, Double>();
    for (int k = 0; k < merges.size(); k++) {
      scores.putIfAbsent(merges.get(k).replaceFirst("(?<=.) ", ""), -1.0 - k);
    }
    var all = new ArrayList<Double>();
    for (Object text : (List<?>) metadata.get(KEY + "tokens")) {
      all.add(scores.getOrDefault((String) text, 0.0));
    }
    metadata.put(KEY + "model", "llama");
    metadata.put(KEY + "scores", all);
    metadata.put(KEY + "add_space_prefix", putsSpaceFirst());
  }

  private boolean putsSpaceFirst() {
    Optional<Settings> normalizer = file.object("normalizer");
    boolean prepends =
        normalizer.stream()
            .flatMap(n -> parts(n, "normalizers").stream())
            .anyMatch(n -> n.text("type").orElse("").equals("Prepend"));
    boolean splits =
        file.object("pre_tokenizer").stream()
            .flatMap(p -> parts(p, "pretokenizers").stream())
            .anyMatch(p ->
                p.text("type").orElse("").equals("Metaspace")
                    && !p.text("prepend_scheme").orElse("always").equals("never"));
    return prepends || splits;
  }

  /** Parts of a sequence; the object itself if it is none. */
  private static List<Settings> parts(Settings object, String name) {
    return object.has(name) ? object.objects(name) : List.of(object);
  }

  /** Name of the patterns that split texts into words. */
  private String patterns() {
    var patterns = new ArrayList<String>();
    Settings splitter =
        file.object("pre_tokenizer").orElseThrow(() -> file.missing("pre_tokenizer"));
    for (Settings part : parts(splitter, "pretokenizers")) {
      switch (part.text("type").orElse("")) {
        case "ByteLevel" -> {
          if (part.truth("use_regex").orElse(true)) {
            patterns.add(WordPatterns.gpt2());
          }
        }
        case "Digits" ->
            patterns.add(part.truth("individual_digits").orElse(false) ? "\\p{N}" : "\\p{N}+");
        case "Split" ->
            patterns.add(
                part.object("pattern")
                    .flatMap(p -> p.text("Regex"))
                    .orElseThrow(() -> file.missing("pattern.Regex")));
        case String other -> patterns.add(other);
      }
    }
    return WordPatterns.name(patterns)
        .orElseThrow(() ->
            new FileFormatException(
                "[load] the pre_tokenizer must split like that of GPT-2, Llama 3, Qwen 2, SmolLM or Tekken; got %s in %s; choose another model."
                    .formatted(patterns, file.file())));
  }

  /** Begin, end, and the form of conversations. */
  private void roles(Path folder, Settings config) {
    Optional<Settings> own = Settings.read(folder.resolve("tokenizer_config.json"));
    Optional<Settings> generation = Settings.read(folder.resolve("generation_config.json"));
    Optional<Integer> begin =
        own.flatMap(o -> token(o, "bos_token")).or(() -> first(config, "bos_token_id"));
    begin.ifPresent(number -> metadata.put(KEY + "bos_token_id", (long) number));
    boolean starts =
        own.flatMap(o -> o.truth("add_bos_token"))
            .orElseGet(() -> begin.isPresent() && startsWith(begin.get()));
    metadata.put(KEY + "add_bos_token", starts);
    own.flatMap(o -> token(o, "eos_token"))
        .or(() -> first(config, "eos_token_id"))
        .ifPresent(number -> metadata.put(KEY + "eos_token_id", (long) number));
    List<Long> ends = generation.map(g -> all(g, "eos_token_id")).orElse(List.of());
    List<String> names = List.of("eot", "eom");
    List<Long> others =
        ends.stream().filter(n -> !n.equals(metadata.get(KEY + "eos_token_id"))).toList();
    for (int k = 0; k < Math.min(names.size(), others.size()); k++) {
      metadata.put(KEY + names.get(k) + "_token_id", others.get(k));
    }
    template(folder, own).ifPresent(text -> metadata.put("tokenizer.chat_template", text));
  }

  /** Number of a token that settings name by its text, or by an object with it. */
  private Optional<Integer> token(Settings own, String role) {
    Object value = own.members().get(role);
    Object text = value instanceof Map<?, ?> object ? object.get("content") : value;
    return text instanceof String s ? Optional.ofNullable(numbers.get(s)) : Optional.empty();
  }

  private static List<Long> all(Settings settings, String name) {
    return switch (settings.members().get(name)) {
      case Long one -> List.of(one);
      case List<?> several ->
          several.stream().filter(Long.class::isInstance).map(Long.class::cast).toList();
      case null, default -> List.of();
    };
  }

  private static Optional<Integer> first(Settings settings, String name) {
    return all(settings, name).stream().findFirst().map(Long::intValue);
  }

  /** Returns true if the tokenizer puts the token before each text. */
  private boolean startsWith(int begin) {
    return file.object("post_processor").stream()
        .flatMap(p -> parts(p, "processors").stream())
        .flatMap(p -> p.objects("single").stream().limit(1))
        .flatMap(first -> first.object("SpecialToken").stream())
        .flatMap(special -> special.text("id").stream())
        .anyMatch(text -> Integer.valueOf(begin).equals(numbers.get(text)));
  }

  private static Optional<String> template(Path folder, Optional<Settings> own) {
    Path alone = folder.resolve("chat_template.jinja");
    if (Files.exists(alone)) {
      try {
        return Optional.of(Files.readString(alone));
      } catch (IOException e) {
        throw TensorFiles.failed("load", "the file must be readable", alone, e);
      }
    }
    Object value = own.map(o -> (Object) o.members().get("chat_template")).orElse(null);
    if (value instanceof List<?>) {
      return own.orElseThrow().objects("chat_template").stream()
          .filter(t -> t.text("name").orElse("").equals("default"))
          .findFirst()
          .flatMap(t -> t.text("template"));
    }
    return value instanceof String text ? Optional.of(text) : Optional.empty();
  }
}
