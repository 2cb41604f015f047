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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.ObjLongConsumer;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/**
 * JSON header of a safetensors file: dtype, shape and byte range of each tensor, and {@code
 * __metadata__}, a map of strings. Exactly this structure is accepted, token by token, without
 * building a tree and without nesting.
 */
final class SafetensorsHeader {
  static final String METADATA = "__metadata__";

  /**
   * Maximal number of tensors, above that of the largest known models; bounds the memory of the
   * parser.
   */
  static final int MOST_TENSORS = 1 << 17;

  static final int MOST_STRINGS = 1 << 20;

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

  private final FileBytes header;
  private final JsonParser json;
  private final Map<String, Entry> tensors = new LinkedHashMap<>();
  private Map<String, String> metadata;

  private SafetensorsHeader(FileBytes header, JsonParser json) {
    this.header = header;
    this.json = json;
  }

  /** Header entry of one tensor; {@code at} is the byte offset of its name. */
  record Entry(ScalarType type, Longs shape, long begin, long end, long at) {}

  static SafetensorsHeader parse(FileBytes header) {
    byte[] text = header.array(0, header.size(), "header");
    requireUtf8(header, text);
    try (JsonParser json = JSON.createParser(text)) {
      var parsed = new SafetensorsHeader(header, json);
      parsed.file();
      return parsed;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Refuses what the library would take for UTF-16, UTF-32 or a byte order mark. */
  private static void requireUtf8(FileBytes header, byte... text) {
    for (int k = 0; k < Math.min(text.length, 4); k++) {
      if (text[k] == 0 || k == 0 && text[k] < 0) {
        throw header.malformed(k, "the header must be JSON in UTF-8", "byte " + (text[k] & 0xff));
      }
    }
  }

  Map<String, Entry> tensors() {
    return tensors;
  }

  Map<String, String> metadata() {
    return metadata == null ? Map.of() : metadata;
  }

  private void file() {
    object((key, at) -> {
      checkCount(tensors, MOST_TENSORS, "tensors", at);
      if (key.equals(METADATA)) {
        if (metadata != null) {
          throw twice(key, at);
        }
        readMetadata();
      } else if (tensors.putIfAbsent(key, entry(key, at)) != null) {
        throw twice(key, at);
      }
    });
    if (next() != null) {
      throw unexpected("the header must end after its object");
    }
  }

  private void readMetadata() {
    metadata = new LinkedHashMap<>();
    object((key, at) -> {
      checkCount(metadata, MOST_STRINGS, "strings", at);
      if (metadata.putIfAbsent(key, string()) != null) {
        throw twice(key, at);
      }
    });
  }

  private void checkCount(Map<String, ?> names, int most, String what, long at) {
    if (names.size() == most) {
      throw header.malformed(at, "a file must have at most " + most + " " + what, "more");
    }
  }

  /** Fields of a tensor's entry during parsing. */
  private static final class Fields {
    String dtype;
    long[] shape;
    long[] offsets;
  }

  private Entry entry(String name, long nameAt) {
    if (name.indexOf('\0') >= 0) {
      throw header.malformed(nameAt, "tensor names must not have NUL characters", "one");
    }
    Fields fields = new Fields();
    object((key, at) -> {
      boolean again =
          switch (key) {
            case "dtype" -> fields.dtype != null;
            case "shape" -> fields.shape != null;
            case "data_offsets" -> fields.offsets != null;
            default ->
                throw header.malformed(
                    at,
                    "a tensor must have dtype, shape and data_offsets only",
                    "'" + Excerpt.of(key) + "'");
          };
      if (again) {
        throw twice(key, at);
      }
      switch (key) {
        case "dtype" -> fields.dtype = string();
        case "shape" -> fields.shape = numbers(HostTensor.MAX_RANK);
        default -> fields.offsets = numbers(2);
      }
    });
    return checked(name, nameAt, fields);
  }

  private Entry checked(String name, long at, Fields fields) {
    String shown = Excerpt.of(name);
    if (fields.dtype == null || fields.shape == null || fields.offsets == null) {
      throw header.malformed(
          at, "a tensor must have dtype, shape and data_offsets", "'" + shown + "' without");
    }
    ScalarType type =
        SafetensorsType.of(fields.dtype)
            .orElseThrow(() ->
                header.malformed(
                    at,
                    "dtype must be one of " + SafetensorsType.SUPPORTED,
                    "'%s' for '%s'".formatted(Excerpt.of(fields.dtype), shown)));
    if (fields.offsets.length != 2 || fields.offsets[0] > fields.offsets[1]) {
      throw header.malformed(
          at,
          "data_offsets must be begin and end",
          "%s for '%s'".formatted(Arrays.toString(fields.offsets), shown));
    }
    Longs shape = Longs.of(fields.shape);
    long bytes = HostTensor.bytes(type, shape);
    if (bytes != fields.offsets[1] - fields.offsets[0]) {
      throw header.malformed(
          at,
          "data_offsets must fit dtype and shape of '%s', %s"
              .formatted(shown, HostTensor.described(type, shape)),
          (fields.offsets[1] - fields.offsets[0]) + " bytes");
    }
    return new Entry(type, shape, fields.offsets[0], fields.offsets[1], at);
  }

  private FileFormatException twice(String key, long at) {
    return header.malformed(at, "names must differ", "'%s' twice".formatted(Excerpt.of(key)));
  }

  // JSON

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
      throw header.malformed(at, "the header must be JSON", '"' + Excerpt.of(flaw) + '"');
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
        ? header.malformed(header.size(), rule, "the end of the header")
        : header.malformed(at(), rule, "'" + Excerpt.of(text()) + "'");
  }

  /**
   * Reads an object.
   *
   * @param member reads the value of each member, given its name and where that begins
   */
  private void object(ObjLongConsumer<String> member) {
    if (next() != JsonToken.START_OBJECT) {
      throw unexpected("an object must be here");
    }
    while (next() == JsonToken.FIELD_NAME) {
      long at = at();
      member.accept(checked(text(), at), at);
    }
  }

  private String string() {
    if (next() != JsonToken.VALUE_STRING) {
      throw unexpected("a string must be here");
    }
    return checked(text(), at());
  }

  private String checked(String text, long at) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw header.malformed(at, "surrogates must come in pairs", "one alone");
    }
    return text;
  }

  /** Reads an array of at most {@code most} numbers. */
  private long[] numbers(int most) {
    if (next() != JsonToken.START_ARRAY) {
      throw unexpected("an array of numbers must be here");
    }
    long[] numbers = new long[most];
    int n = 0;
    while (next() != JsonToken.END_ARRAY) {
      if (n == most) {
        throw header.malformed(
            at(), "an array must have at most " + most + " numbers here", "more");
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
      throw header.malformed(at(), "a number must be below 2^63", Excerpt.of(digits));
    }
  }
}
