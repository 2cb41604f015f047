package ristretto.expr.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import ristretto.kernels.ShapeException;

/**
 * Safetensors file: length of the header, header, data. The format requires that the tensors cover
 * the data without holes and overlaps. The writer stores tensors of wide elements first, so that
 * each tensor is aligned to its elements, and lists them in the header in the caller's order.
 */
record Safetensors(Map<String, StoredTensor> tensors, Map<String, String> metadata) {
  /** Maximal header size in bytes, equal to the reference implementation's. */
  private static final long MAX_HEADER = 100_000_000;

  private static final int LENGTH_BYTES = 8;

  static Safetensors read(FileBytes file) {
    FileBytes header = header(file);
    SafetensorsHeader parsed = SafetensorsHeader.parse(header);
    Map<String, SafetensorsHeader.Entry> entries = parsed.tensors();
    long start = LENGTH_BYTES + header.size();
    checkPlaces(file, entries, file.size() - start);
    Map<String, StoredTensor> tensors = new LinkedHashMap<>();
    entries.forEach((name, entry) -> {
      long bytes = entry.end() - entry.begin();
      long at = start + entry.begin();
      tensors.put(
          name,
          new StoredTensor(
              entry.type(),
              entry.shape(),
              piece -> Elements.forEach(file, at, bytes, entry.type(), false, piece)));
    });
    return new Safetensors(tensors, parsed.metadata());
  }

  private static FileBytes header(FileBytes file) {
    long length = file.u63(0, "header length");
    if (length > MAX_HEADER) {
      throw file.malformed(
          0,
          "a header must have at most " + MAX_HEADER + " bytes",
          Long.toString(length),
          "the file is damaged or no safetensors file");
    }
    return file.slice(LENGTH_BYTES, length, "header");
  }

  private static void checkPlaces(
      FileBytes file, Map<String, SafetensorsHeader.Entry> entries, long dataBytes) {
    List<SafetensorsHeader.Entry> sorted = new ArrayList<>(entries.values());
    sorted.sort(
        Comparator.comparingLong(SafetensorsHeader.Entry::begin)
            .thenComparingLong(SafetensorsHeader.Entry::end));
    long covered = 0;
    for (SafetensorsHeader.Entry entry : sorted) {
      if (entry.begin() != covered) {
        throw file.malformed(
            LENGTH_BYTES + entry.at(),
            "tensors must follow each other without holes and overlaps",
            String.format(
                Locale.ROOT,
                "data_offsets %d to %d after %d",
                entry.begin(),
                entry.end(),
                covered));
      }
      covered = entry.end();
    }
    if (covered != dataBytes) {
      throw file.malformed(
          file.size() - dataBytes,
          String.format(
              Locale.ROOT,
              "the header's tensors must cover the data, and they take %d bytes",
              covered),
          dataBytes + " bytes",
          dataBytes < covered ? "the file is truncated" : "the file is damaged");
    }
  }

  static void write(
      FileChannel channel, Map<String, HostTensor> tensors, Map<String, String> metadata)
      throws IOException {
    List<Map.Entry<String, HostTensor>> aligned = new ArrayList<>(tensors.entrySet());
    aligned.sort(Comparator.comparingInt(named -> -named.getValue().type().bytes()));
    Map<String, Long> begins = new HashMap<>();
    long end = 0;
    for (Map.Entry<String, HostTensor> named : aligned) {
      begins.put(named.getKey(), end);
      end += named.getValue().data().byteSize();
    }
    byte[] header = json(tensors, metadata, begins).getBytes(StandardCharsets.UTF_8);
    ByteBuffer start = ByteBuffer.allocate(LENGTH_BYTES + (header.length + 7) / 8 * 8);
    start.order(ByteOrder.LITTLE_ENDIAN).putLong(start.capacity() - LENGTH_BYTES).put(header);
    while (start.hasRemaining()) {
      start.put((byte) ' ');
    }
    AsideFile.writeFully(channel, start.flip());
    for (Map.Entry<String, HostTensor> named : aligned) {
      AsideFile.writeFully(channel, named.getValue().data());
    }
  }

  private static String json(
      Map<String, HostTensor> tensors, Map<String, String> metadata, Map<String, Long> begins) {
    List<String> members = new ArrayList<>();
    if (!metadata.isEmpty()) {
      List<String> pairs = new ArrayList<>();
      metadata.forEach((key, value) -> pairs.add(quoted(key) + ":" + quoted(value)));
      members.add("\"%s\":{%s}".formatted(SafetensorsHeader.METADATA, String.join(",", pairs)));
    }
    tensors.forEach((name, tensor) -> {
      if (name.equals(SafetensorsHeader.METADATA) || name.indexOf('\0') >= 0) {
        throw new ShapeException(
            "[save] a safetensors name must not be %s and have no NUL characters; got '%s';"
                    .formatted(SafetensorsHeader.METADATA, Excerpt.of(name))
                + " rename the tensor");
      }
      long begin = begins.get(name);
      members.add(
          String.format(
              Locale.ROOT,
              "%s:{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%d,%d]}",
              quoted(name),
              tensor.type().name(),
              tensor.shape().toString().replace(" ", ""),
              begin,
              begin + tensor.data().byteSize()));
    });
    return "{" + String.join(",", members) + "}";
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int k = 0; k < text.length(); k++) {
      char c = text.charAt(k);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
