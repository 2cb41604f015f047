package ristretto.expr.file;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
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
          "the file is damaged or not a safetensors file");
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
            "tensors must follow each other without gaps or overlaps",
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
              Locale.ROOT, "the data must be as large as the header's tensors, %d bytes", covered),
          dataBytes + " bytes",
          dataBytes < covered ? "the file is truncated" : "the file is damaged");
    }
  }

  static void write(
      WritableByteChannel channel, Map<String, HostTensor> tensors, Map<String, String> metadata)
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
      Map<String, HostTensor> tensors, Map<String, String> metadata, Map<String, Long> begins)
      throws IOException {
    var text = new StringWriter();
    try (JsonGenerator json = JsonText.JSON.createGenerator(text)) {
      json.writeStartObject();
      if (!metadata.isEmpty()) {
        json.writeObjectFieldStart(SafetensorsHeader.METADATA);
        for (Map.Entry<String, String> pair : metadata.entrySet()) {
          json.writeStringField(pair.getKey(), pair.getValue());
        }
        json.writeEndObject();
      }
      for (Map.Entry<String, HostTensor> named : tensors.entrySet()) {
        write(json, named.getKey(), named.getValue(), begins.get(named.getKey()));
      }
      json.writeEndObject();
    }
    return text.toString();
  }

  private static void write(JsonGenerator json, String name, HostTensor tensor, long begin)
      throws IOException {
    if (name.equals(SafetensorsHeader.METADATA) || name.indexOf('\0') >= 0) {
      throw new ShapeException(
          "[save] a safetensors name must not be %s and have no NUL characters; got '%s';"
                  .formatted(SafetensorsHeader.METADATA, Excerpt.of(name))
              + " rename the tensor");
    }
    long[] shape = tensor.shape().toArray();
    json.writeObjectFieldStart(name);
    json.writeStringField("dtype", tensor.type().name());
    json.writeFieldName("shape");
    json.writeArray(shape, 0, shape.length);
    json.writeFieldName("data_offsets");
    json.writeArray(new long[] {begin, begin + tensor.data().byteSize()}, 0, 2);
    json.writeEndObject();
  }
}
