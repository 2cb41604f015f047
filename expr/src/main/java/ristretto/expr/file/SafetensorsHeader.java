package ristretto.expr.file;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
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

  private final FileBytes header;
  private final JsonText json;
  private final Map<String, Entry> tensors = new LinkedHashMap<>();
  private Map<String, String> metadata;

  private SafetensorsHeader(FileBytes header, JsonText json) {
    this.header = header;
    this.json = json;
  }

  /** Header entry of one tensor; {@code at} is the byte offset of its name. */
  record Entry(ScalarType type, Longs shape, long begin, long end, long at) {}

  static SafetensorsHeader parse(FileBytes header) {
    return JsonText.parse(
        header,
        "header",
        json -> {
          var parsed = new SafetensorsHeader(header, json);
          parsed.file();
          return parsed;
        });
  }

  Map<String, Entry> tensors() {
    return tensors;
  }

  Map<String, String> metadata() {
    return metadata == null ? Map.of() : metadata;
  }

  private void file() {
    json.object((key, at) -> {
      checkCount(tensors, MOST_TENSORS, "tensors", at);
      if (key.equals(METADATA)) {
        if (metadata != null) {
          throw json.twice(key, at);
        }
        readMetadata();
      } else if (tensors.putIfAbsent(key, entry(key, at)) != null) {
        throw json.twice(key, at);
      }
    });
    json.end();
  }

  private void readMetadata() {
    metadata = new LinkedHashMap<>();
    json.object((key, at) -> {
      checkCount(metadata, MOST_STRINGS, "strings", at);
      if (metadata.putIfAbsent(key, json.string()) != null) {
        throw json.twice(key, at);
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
    json.object((key, at) -> {
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
        throw json.twice(key, at);
      }
      switch (key) {
        case "dtype" -> fields.dtype = json.string();
        case "shape" -> fields.shape = json.numbers(HostTensor.MAX_RANK);
        default -> fields.offsets = json.numbers(2);
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
}
