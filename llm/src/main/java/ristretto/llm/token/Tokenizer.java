package ristretto.llm.token;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.FileFormatException;
import ristretto.llm.gguf.Gguf;

/**
 * Converts text into the tokens of a model, and back. Safe for use by several threads.
 *
 * <p>Models with {@code tokenizer.ggml.model} "llama" merge pieces by their scores, as
 * SentencePiece does; those with "gpt2" merge bytes by ranks.
 */
public abstract sealed class Tokenizer permits SentencePieces, BytePairs {
  final Vocabulary vocabulary;

  Tokenizer(Vocabulary vocabulary) {
    this.vocabulary = vocabulary;
  }

  /**
   * Tokenizer of a file.
   *
   * @throws FileFormatException if the file has none, or one of another kind
   */
  public static Tokenizer of(Gguf file) {
    var vocabulary = new Vocabulary(file);
    String model = file.text("tokenizer.ggml.model").orElse("");
    return switch (model) {
      case "llama" -> new SentencePieces(vocabulary, file);
      case "gpt2" -> new BytePairs(vocabulary, file);
      default ->
          throw new FileFormatException(
              "[load] tokenizer.ggml.model must be llama or gpt2; got '%s' in %s; choose another model."
                  .formatted(model, file.file()));
    };
  }

  /** Tokens of the model. */
  public Vocabulary vocabulary() {
    return vocabulary;
  }

  /**
   * Tokens of a text.
   *
   * @param marks true if texts of control tokens, such as {@code <s>}, become these tokens; false
   *     for text from outside, which must not contain any
   */
  public List<Integer> encode(String text, boolean marks) {
    return encode(List.of(new Part(text, marks)));
  }

  /**
   * Part of a text.
   *
   * @param marks true if texts of control tokens in it become these tokens
   */
  public record Part(String text, boolean marks) {}

  /**
   * Tokens of a text in parts: those of the whole text, except that marks must lie within a part.
   */
  public List<Integer> encode(List<Part> parts) {
    var all = new ArrayList<Integer>();
    var text = new StringBuilder();
    for (Part part : parts) {
      int at = 0;
      Mark mark = next(part, at);
      while (!mark.text.isEmpty()) {
        text.append(part.text, at, mark.at);
        flush(text, all);
        all.add(vocabulary.number(mark.text).orElseThrow());
        at = mark.at + mark.text.length();
        mark = next(part, at);
      }
      text.append(part.text, at, part.text.length());
    }
    flush(text, all);
    return all;
  }

  private void flush(StringBuilder text, List<Integer> to) {
    if (!text.isEmpty()) {
      encode(text.toString(), to);
      text.setLength(0);
    }
  }

  /** Tokens of a text in parts, after those of its begin. */
  public List<Integer> prompt(List<Part> parts) {
    List<Integer> all = start();
    all.addAll(encode(parts));
    return all;
  }

  /** Tokens of a text without control tokens, after those of its begin. */
  public List<Integer> prompt(String text) {
    return prompt(List.of(new Part(text, false)));
  }

  /** Tokens of the begin of a text, which the model expects before the first one. */
  public List<Integer> start() {
    boolean wanted = vocabulary.flag("add_bos_token", startsByDefault());
    var all = new ArrayList<Integer>();
    if (wanted) {
      vocabulary.role("bos").ifPresent(all::add);
    }
    return all;
  }

  abstract boolean startsByDefault();

  /** Returns true if a space is put before each text. */
  abstract boolean putsSpaceFirst();

  /** Place of a control token in a text; at its end if there is none. */
  private record Mark(int at, String text) {}

  private Mark next(Part part, int from) {
    var best = new Mark(part.text.length(), "");
    for (String mark : part.marks ? vocabulary.special() : List.<String>of()) {
      int at = part.text.indexOf(mark, from);
      if (at >= 0 && at < best.at) {
        best = new Mark(at, mark);
      }
    }
    return best;
  }

  /**
   * Adds the tokens of a text without control tokens, which stands at the begin or after a control
   * token.
   */
  abstract void encode(String text, List<Integer> to);

  /** Bytes of a token in UTF-8, of which a character may need several tokens. */
  public abstract byte[] bytes(int token);

  /**
   * Text of all tokens of a text, without a space that was put before it; bytes that are no UTF-8
   * become U+FFFD.
   */
  public String decode(List<Integer> tokens) {
    var all = new ByteArrayOutputStream();
    tokens.forEach(token -> all.writeBytes(bytes(token)));
    String text = all.toString(StandardCharsets.UTF_8);
    return putsSpaceFirst() && text.startsWith(" ") ? text.substring(1) : text;
  }
}
