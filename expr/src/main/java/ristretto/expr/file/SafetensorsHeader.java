package ristretto.expr.file;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.kernels.FileFormatException;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.ScalarType;

/**
 * JSON header of a safetensors file: dtype, shape and byte range of each tensor, and {@code
 * __metadata__}, a map of strings. The parser accepts exactly this structure, without building a
 * tree and without nesting.
 */
final class SafetensorsHeader {
  static final String METADATA = "__metadata__";

  /**
   * Maximal number of tensors, above that of the largest known models; bounds the memory of the
   * parser.
   */
  static final int MOST_TENSORS = 1 << 17;

  static final int MOST_STRINGS = 1 << 20;

  private final JsonCursor json;
  private final Map<String, Entry> tensors = new LinkedHashMap<>();
  private Map<String, String> metadata;

  private SafetensorsHeader(JsonCursor json) {
    this.json = json;
  }

  /** Header entry of one tensor; {@code at} is the byte offset of its name. */
  record Entry(ScalarType type, Longs shape, long begin, long end, long at) {}

  static SafetensorsHeader parse(FileBytes header) {
    SafetensorsHeader parsed = new SafetensorsHeader(new JsonCursor(header));
    parsed.file();
    return parsed;
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
          throw twice(key, at);
        }
        readMetadata();
      } else if (tensors.putIfAbsent(key, entry(key, at)) != null) {
        throw twice(key, at);
      }
    });
    json.end();
  }

  private void readMetadata() {
    metadata = new LinkedHashMap<>();
    json.object((key, at) -> {
      checkCount(metadata, MOST_STRINGS, "strings", at);
      if (metadata.putIfAbsent(key, json.string()) != null) {
        throw twice(key, at);
      }
    });
  }

  private void checkCount(Map<String, ?> names, int most, String what, long at) {
    if (names.size() == most) {
      throw json.malformed(at, "a file must have at most " + most + " " + what, "more");
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
      throw json.malformed(nameAt, "tensor names must not have NUL characters", "one");
    }
    Fields fields = new Fields();
    json.object((key, at) -> {
      boolean again =
          switch (key) {
            case "dtype" -> fields.dtype != null;
            case "shape" -> fields.shape != null;
            case "data_offsets" -> fields.offsets != null;
            default ->
                throw json.malformed(
                    at,
                    "a tensor must have dtype, shape and data_offsets only",
                    "'" + Excerpt.of(key) + "'");
          };
      if (again) {
        throw twice(key, at);
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
      throw json.malformed(
          at, "a tensor must have dtype, shape and data_offsets", "'" + shown + "' without");
    }
    ScalarType type =
        SafetensorsType.of(fields.dtype)
            .orElseThrow(() ->
                json.malformed(
                    at,
                    "dtype must be one of " + SafetensorsType.SUPPORTED,
                    "'%s' for '%s'".formatted(Excerpt.of(fields.dtype), shown)));
    if (fields.offsets.length != 2 || fields.offsets[0] > fields.offsets[1]) {
      throw json.malformed(
          at,
          "data_offsets must be begin and end",
          "%s for '%s'".formatted(Arrays.toString(fields.offsets), shown));
    }
    Longs shape = Longs.of(fields.shape);
    long bytes = HostTensor.bytes(type, shape);
    if (bytes != fields.offsets[1] - fields.offsets[0]) {
      throw json.malformed(
          at,
          "data_offsets must fit dtype and shape of '%s', %s"
              .formatted(shown, HostTensor.described(type, shape)),
          (fields.offsets[1] - fields.offsets[0]) + " bytes");
    }
    return new Entry(type, shape, fields.offsets[0], fields.offsets[1], at);
  }

  private FileFormatException twice(String key, long at) {
    return json.malformed(at, "names must differ", "'%s' twice".formatted(Excerpt.of(key)));
  }
}
