package ristretto.llm.token;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import ristretto.kernels.FileFormatException;
import ristretto.llm.gguf.Gguf;

/** Tokens of a model, by number, with their kinds. */
public final class Vocabulary {
  private static final String KEY = "tokenizer.ggml.";

  /** Kinds of tokens, in the order of their numbers in files, from 1 on. */
  public enum Kind {
    /** Piece of text. */
    NORMAL,
    /** Stands for characters without a token. */
    UNKNOWN,
    /** Marks the begin or the end of something; has no text. */
    CONTROL,
    /** Text that is never split. */
    USER_DEFINED,
    /** Has no text. */
    UNUSED,
    /** One byte, written as {@code <0x41>}. */
    BYTE
  }

  /** Texts of end tokens that files do not always give a role. */
  private static final List<String> ENDS =
      List.of(
          "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|endoftext|>", "<|end_of_text|>");

  private static final Pattern BYTE_TEXT = Pattern.compile("<0x[0-9A-Fa-f]{2}>");

  private final Gguf file;
  private final List<String> texts;
  private final Kind[] kinds;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final List<String> special;

  /** Reads the vocabulary of a file. */
  public Vocabulary(Gguf file) {
    this.file = file;
    this.texts = texts(file, KEY + "tokens");
    this.kinds = kinds(file, texts.size());
    for (int k = 0; k < texts.size(); k++) {
      numbers.putIfAbsent(texts.get(k), k);
    }
    var marks = new ArrayList<String>();
    for (int k = 0; k < kinds.length; k++) {
      boolean mark = kinds[k] == Kind.CONTROL || kinds[k] == Kind.USER_DEFINED;
      if (mark && !texts.get(k).isEmpty()) {
        marks.add(texts.get(k));
      }
    }
    marks.sort(Comparator.comparingInt(String::length).reversed());
    this.special = List.copyOf(marks);
  }

  static List<String> texts(Gguf file, String key) {
    List<?> all =
        file.list(key)
            .orElseThrow(() ->
                new FileFormatException(
                    "[load] the metadata must have %s; got %s without it; the file has no tokenizer."
                        .formatted(key, file.file())));
    var texts = new ArrayList<String>(all.size());
    for (Object one : all) {
      if (!(one instanceof String text)) {
        throw new FileFormatException(
            "[load] %s must be a list of texts; got %s in %s; the file is damaged."
                .formatted(key, one, file.file()));
      }
      texts.add(text);
    }
    return texts;
  }

  private static Kind[] kinds(Gguf file, int count) {
    Kind[] all = Kind.values();
    var kinds = new Kind[count];
    List<?> given = file.list(KEY + "token_type").orElse(List.of());
    for (int k = 0; k < count; k++) {
      long number = k < given.size() && given.get(k) instanceof Long n ? n : 1;
      kinds[k] = number >= 1 && number <= all.length ? all[(int) number - 1] : Kind.NORMAL;
    }
    return kinds;
  }

  /** Number of tokens. */
  public int size() {
    return texts.size();
  }

  /** Text of a token as the file has it. */
  public String text(int token) {
    return texts.get(token);
  }

  /** Kind of a token. */
  public Kind kind(int token) {
    return kinds[token];
  }

  /** Number of the token with this text; empty if there is none. */
  public OptionalInt number(String text) {
    Integer found = numbers.get(text);
    return found == null ? OptionalInt.empty() : OptionalInt.of(found);
  }

  /** Texts of the control tokens and of those defined by users, longest first. */
  List<String> special() {
    return special;
  }

  /** Token of a role, such as {@code bos} or {@code eos}; empty if the model has none. */
  public OptionalInt role(String name) {
    long number = file.integer(KEY + name + "_token_id").orElse(-1L);
    return number >= 0 && number < size() ? OptionalInt.of((int) number) : OptionalInt.empty();
  }

  /** Tokens that end a text or a turn of a conversation. */
  public Set<Integer> ends() {
    var all = new HashSet<Integer>();
    for (String role : List.of("eos", "eot", "eom")) {
      role(role).ifPresent(all::add);
    }
    for (String text : ENDS) {
      number(text).ifPresent(all::add);
    }
    return all;
  }

  /** Truth value of the tokenizer's metadata. */
  boolean flag(String name, boolean otherwise) {
    return file.truth(KEY + name).orElse(otherwise);
  }

  /** Byte of a token such as {@code <0x41>}; -1 for other tokens. */
  int byteOf(int token) {
    String text = texts.get(token);
    return kinds[token] == Kind.BYTE && BYTE_TEXT.matcher(text).matches()
        ? Integer.parseInt(text.substring(3, 5), 16)
        : -1;
  }

  /** Token of a byte; empty if the vocabulary has none. */
  OptionalInt ofByte(int value) {
    return number(String.format(Locale.ROOT, "<0x%02X>", value & 255));
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
