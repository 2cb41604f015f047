package ristretto.llm.token;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import ristretto.kernels.FileFormatException;
import ristretto.llm.gguf.Gguf;

/**
 * Tokenizer that merges bytes (Sennrich et al., 2016; Radford et al., 2019): a pattern splits the
 * text into words, and in each word the pair of adjacent pieces with the lowest rank is merged,
 * until no pair has a rank. Files write each byte as a printable character.
 */
final class BytePairs extends Tokenizer {
  private static final char[] LETTERS_OF_BYTES = lettersOfBytes();
  private static final Map<Character, Byte> BYTES_OF_LETTERS = new HashMap<>();

  static {
    for (int b = 0; b < 256; b++) {
      BYTES_OF_LETTERS.put(LETTERS_OF_BYTES[b], (byte) b);
    }
  }

  /** Pair of pieces. */
  private record Pair(String left, String right) {}

  private final Map<Pair, Integer> ranks = new HashMap<>();
  private final List<Pattern> patterns;

  /** True if a word that is a token is not split. */
  private final boolean wholeWords;

  BytePairs(Vocabulary vocabulary, Gguf file) {
    super(vocabulary);
    String kind = file.text("tokenizer.ggml.pre").orElse("gpt-2");
    this.patterns =
        WordPatterns.of(kind)
            .orElseThrow(() ->
                new FileFormatException(
                    ("[load] tokenizer.ggml.pre must be gpt-2, llama-bpe, qwen2, smollm or tekken,"
                         + " or another name of one of them; got '%s' in %s; choose another model.")
                        .formatted(kind, file.file())))
            .stream()
            .map(p -> Pattern.compile(p, Pattern.UNICODE_CHARACTER_CLASS))
            .toList();
    this.wholeWords = List.of("llama3", "llama-v3", "llama-bpe", "tekken").contains(kind);
    int rank = 0;
    for (String merge : Vocabulary.texts(file, "tokenizer.ggml.merges")) {
      int space = merge.indexOf(' ', 1);
      if (space < 0) {
        throw new FileFormatException(
            "[load] a merge must be two pieces with a space between them; got '%s' in %s; the file is damaged."
                .formatted(merge, file.file()));
      }
      ranks.putIfAbsent(new Pair(merge.substring(0, space), merge.substring(space + 1)), rank++);
    }
  }

  /** Returns the characters by which files write bytes: printable ones stand for themselves. */
  private static char[] lettersOfBytes() {
    var letters = new char[256];
    char next = 256;
    for (int b = 0; b < 256; b++) {
      boolean printable = b > ' ' && b < 127 || b >= 0xA1 && b <= 0xAC || b >= 0xAE;
      letters[b] = printable ? (char) b : next++;
    }
    return letters;
  }

  @Override
  boolean startsByDefault() {
    return false;
  }

  @Override
  boolean putsSpaceFirst() {
    return false;
  }

  @Override
  void encode(String text, List<Integer> to) {
    for (String word : words(text)) {
      word(word, to);
    }
  }

  private List<String> words(String text) {
    List<String> words = List.of(text);
    for (Pattern pattern : patterns) {
      var parts = new ArrayList<String>();
      for (String word : words) {
        Matcher matcher = pattern.matcher(word);
        int at = 0;
        while (matcher.find()) {
          if (matcher.start() > at) {
            parts.add(word.substring(at, matcher.start()));
          }
          parts.add(matcher.group());
          at = matcher.end();
        }
        if (at < word.length()) {
          parts.add(word.substring(at));
        }
      }
      words = parts;
    }
    return words;
  }

  private void word(String word, List<Integer> to) {
    var letters = new StringBuilder();
    for (byte b : Vocabulary.utf8(word)) {
      letters.append(LETTERS_OF_BYTES[b & 255]);
    }
    OptionalInt whole = wholeWords ? vocabulary.number(letters.toString()) : OptionalInt.empty();
    if (whole.isPresent()) {
      to.add(whole.getAsInt());
      return;
    }
    for (String piece : Merges.of(letters.toString(), this::rank)) {
      OptionalInt token = vocabulary.number(piece);
      if (token.isPresent()) {
        to.add(token.getAsInt());
      } else {
        piece.chars().forEach(c -> vocabulary.number(Character.toString(c)).ifPresent(to::add));
      }
    }
  }

  private double rank(String left, String right) {
    Integer rank = ranks.get(new Pair(left, right));
    return rank == null ? Double.NaN : rank;
  }

  @Override
  public byte[] bytes(int token) {
    String text = vocabulary.text(token);
    return switch (vocabulary.kind(token)) {
      case CONTROL, UNUSED, UNKNOWN -> new byte[0];
      case USER_DEFINED -> Vocabulary.utf8(text);
      case NORMAL, BYTE -> {
        var bytes = new byte[text.length()];
        for (int k = 0; k < bytes.length; k++) {
          Byte b = BYTES_OF_LETTERS.get(text.charAt(k));
          if (b == null) {
            yield text.getBytes(StandardCharsets.UTF_8);
          }
          bytes[k] = b;
        }
        yield bytes;
      }
    };
  }
}
