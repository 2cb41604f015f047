package ristretto.llm.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.FileFormatException;
import ristretto.llm.gguf.Gguf;
import ristretto.llm.gguf.GgufWriter;

class TokenizerTest {
  @TempDir Path folder;

  private Tokenizer tokenizer(Map<String, Object> metadata) throws IOException {
    Path file = folder.resolve("vocabulary.gguf");
    GgufWriter.write(file, metadata, List.of());
    try (Gguf gguf = Gguf.open(file)) {
      return Tokenizer.of(gguf);
    }
  }

  /** Byte tokens from 3 on, then pieces with scores. */
  private static Map<String, Object> pieces() {
    var tokens = new ArrayList<String>(List.of("<unk>", "<s>", "</s>"));
    var types = new ArrayList<Integer>(List.of(2, 3, 3));
    for (int b = 0; b < 256; b++) {
      tokens.add(String.format(Locale.ROOT, "<0x%02X>", b));
      types.add(6);
    }
    var scores = new ArrayList<Float>();
    tokens.forEach(_ -> scores.add(0f));
    List<String> pieces = List.of("▁", "a", "b", "c", "ab", "bc", "▁a", "abc", "<tool>", "ü");
    for (int k = 0; k < pieces.size(); k++) {
      tokens.add(pieces.get(k));
      scores.add((float) -k);
      types.add(pieces.get(k).equals("<tool>") ? 4 : 1);
    }
    var all = new LinkedHashMap<String, Object>();
    all.put("tokenizer.ggml.model", "llama");
    all.put("tokenizer.ggml.tokens", tokens);
    all.put("tokenizer.ggml.scores", scores);
    all.put("tokenizer.ggml.token_type", types);
    all.put("tokenizer.ggml.bos_token_id", 1);
    all.put("tokenizer.ggml.unknown_token_id", 0);
    return all;
  }

  private static List<String> texts(Tokenizer t, String text) {
    return t.encode(text, true).stream().map(t.vocabulary()::text).toList();
  }

  @Test
  void piecesMergeByTheirScores() throws IOException {
    Tokenizer t = tokenizer(pieces());
    // "ab" has a higher score than "bc" and "▁a"; then nothing is left to merge with "▁" but "abc"
    assertThat(texts(t, "abc")).containsExactly("▁", "abc");
    assertThat(texts(t, "bca")).containsExactly("▁", "bc", "a");
    assertThat(texts(t, "a a")).containsExactly("▁a", "▁a");
    assertThat(texts(t, "aabab")).containsExactly("▁a", "ab", "ab");
    assertThat(texts(t, "")).isEmpty();
  }

  @Test
  void charactersWithoutTokensAreBytes() throws IOException {
    Tokenizer t = tokenizer(pieces());
    assertThat(texts(t, "ü😀")).containsExactly("▁", "ü", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>");
    assertThat(t.decode(t.encode("ü😀 abc", false))).isEqualTo("ü😀 abc");
  }

  @Test
  void marksAreTokensIfWanted() throws IOException {
    Tokenizer t = tokenizer(pieces());
    assertThat(texts(t, "<s>a</s><tool>")).containsExactly("<s>", "▁a", "</s>", "<tool>");
    assertThat(t.encode("<s>", false)).hasSize(4).doesNotContain(1);
    assertThat(t.decode(t.encode("<s>a</s>", true))).isEqualTo("a");
    assertThat(t.start()).containsExactly(1);
  }

  private static Map<String, Object> bytePairs(String kind) {
    var tokens = new ArrayList<String>();
    for (int b = 0; b < 256; b++) {
      boolean printable = b > ' ' && b < 127 || b >= 0xA1 && b <= 0xAC || b >= 0xAE;
      if (printable) {
        tokens.add(Character.toString((char) b));
      }
    }
    for (char c = 256; tokens.size() < 256; c++) {
      tokens.add(Character.toString(c));
    }
    tokens.addAll(List.of("th", "the", "Ġthe", "12", "123", "Ġt", "whole", "<|end|>"));
    var types = new ArrayList<Integer>();
    tokens.forEach(text -> types.add(text.startsWith("<|") ? 3 : 1));
    var all = new LinkedHashMap<String, Object>();
    all.put("tokenizer.ggml.model", "gpt2");
    all.put("tokenizer.ggml.pre", kind);
    all.put("tokenizer.ggml.tokens", tokens);
    all.put("tokenizer.ggml.token_type", types);
    all.put("tokenizer.ggml.merges", List.of("t h", "th e", "Ġ the", "1 2", "12 3", "Ġ t"));
    return all;
  }

  @Test
  void bytesMergeByRanks() throws IOException {
    Tokenizer t = tokenizer(bytePairs("gpt-2"));
    assertThat(texts(t, "the the")).containsExactly("the", "Ġthe");
    assertThat(texts(t, " to")).containsExactly("Ġt", "o");
    assertThat(texts(t, "1231")).containsExactly("123", "1");
    assertThat(texts(t, "whole")).containsExactly("w", "h", "o", "l", "e");
    assertThat(texts(t, "a<|end|>b")).containsExactly("a", "<|end|>", "b");
    assertThat(t.start()).isEmpty();
  }

  @Test
  void patternsOfNumbersAndWholeWords() throws IOException {
    assertThat(texts(tokenizer(bytePairs("llama-bpe")), "12312 whole"))
        .containsExactly("123", "12", "Ġ", "w", "h", "o", "l", "e");
    assertThat(texts(tokenizer(bytePairs("llama-bpe")), "whole")).containsExactly("whole");
    assertThat(texts(tokenizer(bytePairs("qwen2")), "123")).containsExactly("1", "2", "3");
    assertThat(texts(tokenizer(bytePairs("smollm")), "123")).containsExactly("1", "2", "3");
    assertThat(texts(tokenizer(bytePairs("tekken")), "123")).containsExactly("1", "2", "3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gpt-2", "llama-bpe", "qwen2", "smollm", "tekken", "llama"})
  void anyTextComesBack(String kind) throws IOException {
    Tokenizer t = tokenizer(kind.equals("llama") ? pieces() : bytePairs(kind));
    var random = new Random(1);
    for (int round = 0; round < 300; round++) {
      var text = new StringBuilder();
      for (int k = random.nextInt(30); k > 0; k--) {
        int most = List.of(128, 0x250, 0xD800, 0x1F700).get(random.nextInt(4));
        int c = random.nextInt(most);
        // lone surrogates are no text, and U+2581 stands for a space
        boolean none = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE || c == '▁';
        text.appendCodePoint(none ? ' ' : c);
      }
      assertThat(t.decode(t.encode(text.toString(), false))).isEqualTo(text.toString());
    }
  }

  /** A text without places to split takes time in proportion to its length, nearly. */
  @Test
  void longWords() throws IOException {
    String word = "the".repeat(100_000);
    assertThat(tokenizer(bytePairs("gpt-2")).encode(word, false)).hasSize(100_000);
    assertThat(tokenizer(pieces()).encode("abc".repeat(100_000), false)).hasSize(100_001);
  }

  private void refused(String message, Map<String, Object> metadata) {
    assertThatThrownBy(() -> tokenizer(metadata))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(message.formatted(folder.resolve("vocabulary.gguf")));
  }

  @Test
  void otherFiles() {
    refused(
        "[load] the metadata must have tokenizer.ggml.tokens; got %s without it; the file has no"
            + " tokenizer.",
        Map.of());
    Map<String, Object> other = pieces();
    other.put("tokenizer.ggml.model", "bert");
    refused(
        "[load] tokenizer.ggml.model must be llama or gpt2; got 'bert' in %s; choose another"
            + " model.",
        other);
    refused(
        "[load] tokenizer.ggml.pre must be gpt-2, llama-bpe, qwen2, smollm or tekken, or another"
            + " name of one of them; got 'x' in %s; choose another model.",
        bytePairs("x"));
    other = bytePairs("gpt-2");
    other.put("tokenizer.ggml.merges", List.of("ab"));
    refused(
        "[load] a merge must be two pieces with a space between them; got 'ab' in %s; the file is"
            + " damaged.",
        other);
    other = pieces();
    other.put("tokenizer.ggml.tokens", List.of(1, 2));
    refused(
        "[load] tokenizer.ggml.tokens must be a list of texts; got 1 in %s; the file is damaged.",
        other);
  }
}
