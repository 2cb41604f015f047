package ristretto.expr.file;

import java.util.LinkedHashMap;
import java.util.Map;
import ristretto.kernels.FileFormatException;

/**
 * JSON index of a sharded weight file, as Hugging Face writes it: an object whose member {@code
 * weight_map} has the name of each tensor with the name of the file that contains it. Other members
 * are ignored.
 */
final class ShardIndex {
  private static final String MAP = "weight_map";

  /** Maximal size in bytes, that of the header of a safetensors file. */
  private static final long MOST_BYTES = 100_000_000;

  private final FileBytes file;
  private final JsonText json;
  private Map<String, String> shards;

  private ShardIndex(FileBytes file, JsonText json) {
    this.file = file;
    this.json = json;
  }

  /** Returns the file names by the names of the tensors, in the order of the index. */
  static Map<String, String> read(FileBytes file) {
    if (file.size() > MOST_BYTES) {
      throw file.malformed(
          0,
          "an index must have at most " + MOST_BYTES + " bytes",
          Long.toString(file.size()),
          "check the path");
    }
    return JsonText.parse(file, "index", json -> new ShardIndex(file, json).map());
  }

  private Map<String, String> map() {
    json.object((key, at) -> {
      if (!key.equals(MAP)) {
        json.skip();
      } else if (shards != null) {
        throw json.twice(key, at);
      } else {
        shards = new LinkedHashMap<>();
        json.object(this::shard);
      }
    });
    json.end();
    if (shards == null || shards.isEmpty()) {
      throw file.malformed(
          0,
          "an index must have weight_map, with the file of each tensor",
          shards == null ? "an object without it" : "none",
          "check the path");
    }
    return shards;
  }

  private void shard(String name, long at) {
    if (shards.size() == SafetensorsHeader.MOST_TENSORS) {
      throw file.malformed(
          at, "an index must have at most " + SafetensorsHeader.MOST_TENSORS + " tensors", "more");
    }
    String shard = json.string();
    if (shards.putIfAbsent(name, shard) != null) {
      throw json.twice(name, at);
    }
    if (!isPlain(shard)) {
      throw outside(name, shard, at);
    }
  }

  /** Returns true for the name of a file, without folders. */
  private static boolean isPlain(String name) {
    return !name.isBlank()
        && !name.equals(".")
        && !name.equals("..")
        && name.chars().noneMatch(c -> c == '/' || c == '\\' || c == ':' || c == 0);
  }

  private FileFormatException outside(String name, String shard, long at) {
    return file.malformed(
        at,
        "files of tensors must be in the folder of the index, without folders in their names",
        "'%s' for '%s'".formatted(Excerpt.of(shard), Excerpt.of(name)));
  }
}
