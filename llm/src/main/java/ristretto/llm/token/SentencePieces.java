package ristretto.llm.token;

import java.util.List;
import java.util.OptionalInt;
import ristretto.llm.gguf.Gguf;

/**
 * Tokenizer of SentencePiece's BPE models: of all pairs of adjacent pieces that form a token, the
 * one with the highest score is merged, until there is none. Spaces are written as U+2581.
 * Characters without a token become tokens of their bytes.
 */
final class SentencePieces extends Tokenizer {
  private static final String SPACE = "▁";

  private final float[] scores;
  private final boolean leadingSpace;

  SentencePieces(Vocabulary vocabulary, Gguf file) {
    super(vocabulary);
    List<?> given = file.list("tokenizer.ggml.scores").orElse(List.of());
    scores = new float[vocabulary.size()];
    for (int k = 0; k < Math.min(scores.length, given.size()); k++) {
      scores[k] = given.get(k) instanceof Double score ? score.floatValue() : 0;
    }
    leadingSpace = vocabulary.flag("add_space_prefix", true);
  }

  @Override
  boolean startsByDefault() {
    return true;
  }

  @Override
  boolean putsSpaceFirst() {
    return leadingSpace;
  }

  @Override
  void encode(String text, List<Integer> to) {
    String spaced = (leadingSpace ? " " + text : text).replace(" ", SPACE);
    Merges.of(spaced, this::priority).forEach(piece -> add(piece, to));
  }

  private double priority(String left, String right) {
    OptionalInt token = vocabulary.number(left + right);
    return token.isPresent() ? -scores[token.getAsInt()] : Double.NaN;
  }

  private void add(String piece, List<Integer> to) {
    OptionalInt token = vocabulary.number(piece);
    if (token.isPresent()) {
      to.add(token.getAsInt());
      return;
    }
    for (byte b : Vocabulary.utf8(piece)) {
      OptionalInt known = vocabulary.ofByte(b);
      to.add(known.orElse(vocabulary.role("unknown").orElse(0)));
    }
  }

  @Override
  public byte[] bytes(int token) {
    int value = vocabulary.byteOf(token);
    if (value >= 0) {
      return new byte[] {(byte) value};
    }
    return switch (vocabulary.kind(token)) {
      case CONTROL, UNUSED -> new byte[0];
      case UNKNOWN -> Vocabulary.utf8(" ⁇ ");
      case NORMAL, USER_DEFINED, BYTE ->
          Vocabulary.utf8(vocabulary.text(token).replace(SPACE, " "));
    };
  }
}
