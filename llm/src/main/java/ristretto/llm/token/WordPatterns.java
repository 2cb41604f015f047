package ristretto.llm.token;

import java.util.List;
import java.util.Optional;

/** Patterns that split texts into words, by the names that GGUF files give them. */
public final class WordPatterns {
  private static final String GPT2 =
      "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

  /** Pattern of Llama 3 and Qwen 2 with a given pattern of numbers. */
  private static final String LETTERS =
      "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|%s"
          + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

  private static final String TEKKEN =
      "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
          + "|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}|"
          + " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

  private static final List<String> NAMES =
      List.of("gpt-2", "llama-bpe", "qwen2", "smollm", "tekken");

  private WordPatterns() {}

  /** Patterns of a name, of which each splits the pieces of those before it; empty if unknown. */
  static Optional<List<String>> of(String name) {
    return switch (name) {
      case "gpt-2", "default", "phi-2", "jina-es", "jina-de", "olmo", "exaone" ->
          Optional.of(List.of(GPT2));
      case "llama3", "llama-v3", "llama-bpe", "falcon3" ->
          Optional.of(List.of(LETTERS.formatted("\\p{N}{1,3}")));
      case "qwen2", "deepseek-r1-qwen", "stablelm2", "megrez" ->
          Optional.of(List.of(LETTERS.formatted("\\p{N}")));
      case "smollm", "starcoder", "refact", "command-r", "codeshell" ->
          Optional.of(List.of("\\p{N}", GPT2));
      case "tekken" -> Optional.of(List.of(TEKKEN));
      default -> Optional.empty();
    };
  }

  /** Pattern of GPT-2. */
  public static String gpt2() {
    return GPT2;
  }

  /** Name of exactly these patterns; empty if they have none. */
  public static Optional<String> name(List<String> patterns) {
    return NAMES.stream().filter(name -> of(name).orElseThrow().equals(patterns)).findFirst();
  }
}
