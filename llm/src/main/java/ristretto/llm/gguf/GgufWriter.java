package ristretto.llm.gguf;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import ristretto.expr.file.AsideFile;
import ristretto.kernels.ShapeException;

/** Writes GGUF files of version 3. */
public final class GgufWriter {
  private static final int ALIGNMENT = 32;

  private final ByteArrayOutputStream header = new ByteArrayOutputStream();

  private GgufWriter() {}

  /**
   * Writes a file, aside at first, so that a crash leaves the old file or the new one.
   *
   * @param metadata by key: {@link Integer} (written with 32 bits), {@link Long}, {@link Float},
   *     {@link Double}, {@link Boolean}, {@link String}, or a list of one of these types
   * @param tensors whose data have the bytes that type and shape require
   * @throws ShapeException if a value has another type, or data have another size
   */
  public static void write(Path file, Map<String, Object> metadata, List<GgufTensor> tensors)
      throws IOException {
    var writer = new GgufWriter();
    byte[] header = writer.header(metadata, tensors);
    AsideFile.write(
        file,
        channel -> {
          AsideFile.writeFully(channel, ByteBuffer.wrap(header));
          for (GgufTensor t : tensors) {
            AsideFile.writeFully(channel, t.data());
            AsideFile.writeFully(channel, ByteBuffer.allocate((int) padding(t.data().byteSize())));
          }
        });
  }

  private static long padding(long size) {
    return -size & ALIGNMENT - 1;
  }

  private byte[] header(Map<String, Object> metadata, List<GgufTensor> tensors) {
    header.writeBytes("GGUF".getBytes(StandardCharsets.US_ASCII));
    number(4, 3);
    number(8, tensors.size());
    number(8, metadata.size());
    metadata.forEach((key, value) -> {
      text(key);
      number(4, type(key, value));
      value(key, value);
    });
    long offset = 0;
    for (GgufTensor t : tensors) {
      long[] dims = t.shape().toArray();
      long row = dims.length == 0 ? 1 : dims[dims.length - 1];
      long bytes = t.shape().size() / t.type().length() * t.type().bytes();
      if (row % t.type().length() != 0 || bytes != t.data().byteSize()) {
        throw new ShapeException(
            ("[save] tensors must have whole blocks of %s elements, and the bytes of their shape;"
                    + " got %s %s with %s bytes; encode its rows first.")
                .formatted(t.type().length(), t.name(), t.label(), t.data().byteSize()));
      }
      text(t.name());
      number(4, dims.length);
      for (int d = dims.length - 1; d >= 0; d--) {
        number(8, dims[d]);
      }
      number(4, t.type().number());
      number(8, offset);
      offset += bytes + padding(bytes);
    }
    header.writeBytes(new byte[(int) padding(header.size())]);
    return header.toByteArray();
  }

  private void number(int bytes, long value) {
    byte[] all = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
    header.write(all, 0, bytes);
  }

  private void text(String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    number(8, bytes.length);
    header.writeBytes(bytes);
  }

  private static int type(String key, Object value) {
    return switch (value) {
      case Integer n -> n >= 0 ? 4 : 5;
      case Float _ -> 6;
      case Boolean _ -> 7;
      case String _ -> 8;
      case List<?> _ -> 9;
      case Long _ -> 11;
      case Double _ -> 12;
      default ->
          throw new ShapeException(
              ("[save] values of metadata must be numbers, truth values, texts or lists; got %s of"
                      + " %s; convert it.")
                  .formatted(value.getClass().getSimpleName(), key));
    };
  }

  private static Class<?> kind(Object value) {
    return value instanceof List ? List.class : value.getClass();
  }

  private void value(String key, Object value) {
    switch (value) {
      case Integer n -> number(4, n);
      case Float x -> number(4, Float.floatToRawIntBits(x));
      case Boolean b -> number(1, b ? 1 : 0);
      case String s -> text(s);
      case Long n -> number(8, n);
      case Double x -> number(8, Double.doubleToRawLongBits(x));
      case List<?> all -> {
        // Integers of a list may have both signs.
        boolean whole = all.isEmpty() || all.getFirst() instanceof Integer;
        int type = whole ? 5 : type(key, all.getFirst());
        number(4, type);
        number(8, all.size());
        for (Object one : all) {
          if (kind(one) != kind(all.getFirst())) {
            throw new ShapeException(
                "[save] elements of a list must have one type; got %s and %s of %s; convert one."
                    .formatted(
                        kind(all.getFirst()).getSimpleName(), kind(one).getSimpleName(), key));
          }
          value(key, one);
        }
      }
      default -> throw new AssertionError(value);
    }
  }
}
