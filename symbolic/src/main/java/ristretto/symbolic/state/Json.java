package ristretto.symbolic.state;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import ristretto.expr.Tensor;
import ristretto.expr.file.AsideFile;
import ristretto.kernels.FileException;

/** Builder of a JSON object with one member per line. */
final class Json {
  private final StringJoiner members = new StringJoiner(",\n", "{\n", "\n}\n");

  /** Adds an object of strings. */
  Json strings(String name, Map<String, String> values) {
    var inside = new StringJoiner(",\n", "{\n", "\n  }");
    values.forEach((key, value) -> inside.add("    " + quoted(key) + ": " + quoted(value)));
    members.add("  " + quoted(name) + ": " + inside);
    return this;
  }

  /** Adds an object of dtypes and shapes. */
  Json tensors(String name, Map<String, Tensor<?>> tensors) {
    var inside = new StringJoiner(",\n", "{\n", "\n  }");
    tensors.forEach((key, t) ->
        inside.add(
            "    %s: {\"dtype\": %s, \"shape\": %s}"
                .formatted(quoted(key), quoted(t.dtype().toString()), t.shape())));
    members.add("  " + quoted(name) + ": " + inside);
    return this;
  }

  void write(Path file) {
    byte[] text = members.toString().getBytes(StandardCharsets.UTF_8);
    try {
      AsideFile.write(file, channel -> AsideFile.writeFully(channel, ByteBuffer.wrap(text)));
    } catch (IOException e) {
      throw new FileException(
          "[save] the file must be writable; got "
              + file.toAbsolutePath()
              + " ("
              + e.getMessage()
              + "); check the path.",
          e);
    }
  }

  private static String quoted(String text) {
    var quoted = new StringBuilder("\"");
    text.chars()
        .forEach(c -> {
          if (c == '"' || c == '\\') {
            quoted.append('\\').append((char) c);
          } else if (c < ' ') {
            quoted.append(String.format(Locale.ROOT, "\\u%04x", c));
          } else {
            quoted.append((char) c);
          }
        });
    return quoted.append('"').toString();
  }
}
