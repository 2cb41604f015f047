package ristretto.expr.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import ristretto.kernels.FileFormatException;

/**
 * JSON in a file, read token by token without building a tree; each error names the file and the
 * byte offset.
 */
final class JsonText {
  /** Limits no lengths of names and strings, which the size of the header limits. */
  static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private final FileBytes bytes;
  private final String what;
  private final JsonParser json;

  private JsonText(FileBytes bytes, String what, JsonParser json) {
    this.bytes = bytes;
    this.what = what;
    this.json = json;
  }

  /**
   * Reads a whole text.
   *
   * @param what noun for the text in messages
   */
  static <T> T parse(FileBytes bytes, String what, Function<JsonText, T> reader) {
    byte[] text = bytes.array(0, bytes.size(), what);
    requireUtf8(bytes, what, text);
    try (JsonParser json = JSON.createParser(text)) {
      return reader.apply(new JsonText(bytes, what, json));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Refuses what the library would take for UTF-16, UTF-32 or a byte order mark. */
  private static void requireUtf8(FileBytes bytes, String what, byte... text) {
    for (int k = 0; k < Math.min(text.length, 4); k++) {
      if (text[k] == 0 || k == 0 && text[k] < 0) {
        throw bytes.malformed(
            k, "the " + what + " must be JSON in UTF-8", "byte " + (text[k] & 0xff));
      }
    }
  }

  FileFormatException twice(String key, long at) {
    return bytes.malformed(at, "names must differ", "'%s' twice".formatted(Excerpt.of(key)));
  }

  /** Requires the end of the text. */
  void end() {
    if (next() != null) {
      throw unexpected("the " + what + " must end after its object");
    }
  }

  /** Skips a value, with all that it contains. */
  void skip() {
    next();
    read(JsonParser::skipChildren);
  }

  /** Read of the parser, which may find a flaw in the text. */
  @FunctionalInterface
  private interface Read<T> {
    T from(JsonParser json) throws IOException;
  }

  private <T> T read(Read<T> read) {
    try {
      return read.from(json);
    } catch (JsonProcessingException e) {
      long at = e.getLocation() == null ? 0 : Math.max(0, e.getLocation().getByteOffset());
      String flaw = e.getOriginalMessage().lines().findFirst().orElse("");
      throw bytes.malformed(at, "the " + what + " must be JSON", '"' + Excerpt.of(flaw) + '"');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonToken next() {
    return read(JsonParser::nextToken);
  }

  private long at() {
    return json.currentTokenLocation().getByteOffset();
  }

  private String text() {
    return read(JsonParser::getText);
  }

  private FileFormatException unexpected(String rule) {
    return json.currentToken() == null
        ? bytes.malformed(bytes.size(), rule, "the end of the " + what)
        : bytes.malformed(at(), rule, "'" + Excerpt.of(text()) + "'");
  }

  /**
   * Reads an object.
   *
   * @param member reads the value of each member, given its name and where that begins
   */
  void object(ObjLongConsumer<String> member) {
    if (next() != JsonToken.START_OBJECT) {
      throw unexpected("an object must be here");
    }
    while (next() == JsonToken.FIELD_NAME) {
      long at = at();
      member.accept(checked(text(), at), at);
    }
  }

  String string() {
    if (next() != JsonToken.VALUE_STRING) {
      throw unexpected("a string must be here");
    }
    return checked(text(), at());
  }

  private String checked(String text, long at) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw bytes.malformed(at, "surrogates must come in pairs", "one alone");
    }
    return text;
  }

  /** Reads an array of at most {@code most} numbers. */
  long[] numbers(int most) {
    if (next() != JsonToken.START_ARRAY) {
      throw unexpected("an array of numbers must be here");
    }
    long[] numbers = new long[most];
    int n = 0;
    while (next() != JsonToken.END_ARRAY) {
      if (n == most) {
        throw bytes.malformed(at(), "an array must have at most " + most + " numbers here", "more");
      }
      numbers[n++] = number();
    }
    return Arrays.copyOf(numbers, n);
  }

  private long number() {
    String digits = text();
    if (json.currentToken() != JsonToken.VALUE_NUMBER_INT || digits.startsWith("-")) {
      throw unexpected("a number from 0 up must be here");
    }
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw bytes.malformed(at(), "a number must be below 2^63", Excerpt.of(digits));
    }
  }
}
