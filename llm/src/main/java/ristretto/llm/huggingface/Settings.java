package ristretto.llm.huggingface;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import ristretto.expr.file.TensorFiles;
import ristretto.kernels.FileFormatException;
import ristretto.llm.json.Json;

/**
 * JSON object of a checkpoint. A member that is null is as good as missing.
 *
 * @param file for messages
 */
record Settings(Path file, Map<?, ?> members) {
  private static final long MOST_BYTES = 200_000_000;

  /** Reads a file; empty if there is none. */
  static Optional<Settings> read(Path file) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    byte[] text;
    try {
      long size = Files.size(file);
      if (size > MOST_BYTES) {
        throw new FileFormatException(
            "[load] settings must have at most %s bytes; got %s with %s; check the path."
                .formatted(MOST_BYTES, file, size));
      }
      text = Files.readAllBytes(file);
    } catch (IOException e) {
      throw TensorFiles.failed("load", "the file must be readable", file, e);
    }
    try {
      if (Json.read(text) instanceof Map<?, ?> members) {
        return Optional.of(new Settings(file, members));
      }
    } catch (Json.Malformed e) {
      throw new FileFormatException(
          "[load] the text of %s %s".formatted(file, e.getMessage()) + "; download it again.");
    }
    throw new FileFormatException(
        "[load] settings must be a JSON object; got %s; download it again.".formatted(file));
  }

  boolean has(String name) {
    return members.get(name) != null;
  }

  Optional<String> text(String name) {
    return value(name, String.class, "a text");
  }

  Optional<Boolean> truth(String name) {
    return value(name, Boolean.class, "true or false");
  }

  Optional<Long> integer(String name) {
    return value(name, Long.class, "a whole number");
  }

  long size(String name) {
    return integer(name).orElseThrow(() -> missing(name));
  }

  Optional<Double> number(String name) {
    return value(name, Number.class, "a number").map(Number::doubleValue);
  }

  Optional<List<?>> list(String name) {
    return value(name, List.class, "a list").map(all -> (List<?>) all);
  }

  Optional<Settings> object(String name) {
    return value(name, Map.class, "an object").map(all -> new Settings(file, all));
  }

  /** Objects of a list; other elements are left out. */
  List<Settings> objects(String name) {
    return list(name).orElse(List.of()).stream()
        .filter(Map.class::isInstance)
        .map(one -> new Settings(file, (Map<?, ?>) one))
        .toList();
  }

  private <V> Optional<V> value(String name, Class<V> type, String what) {
    Object value = members.get(name);
    if (value != null && !type.isInstance(value)) {
      throw new FileFormatException(
          "[load] %s must be %s; got %s in %s; check the settings."
              .formatted(
                  name,
                  what,
                  value instanceof Map || value instanceof List ? "another value" : value,
                  file));
    }
    return Optional.ofNullable(type.cast(value));
  }

  FileFormatException missing(String name) {
    return new FileFormatException(
        "[load] the settings must have %s; got %s without it; it is no language model, or of an unknown kind."
            .formatted(name, file));
  }
}
