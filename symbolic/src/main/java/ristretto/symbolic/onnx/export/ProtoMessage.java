package ristretto.symbolic.onnx.export;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import ristretto.expr.file.AsideFile;

/** Protocol Buffers message under construction. */
final class ProtoMessage {
  private static final int VARINT = 0;
  private static final int BYTES = 2;
  private static final int FIXED_32 = 5;

  private final List<byte[]> parts = new ArrayList<>();
  private long size;

  long size() {
    return size;
  }

  private void add(byte... part) {
    parts.add(part);
    size += part.length;
  }

  private static void varint(ByteArrayOutputStream to, long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      to.write((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    to.write((int) rest);
  }

  private void tag(int field, int kind, long value) {
    var head = new ByteArrayOutputStream();
    varint(head, (long) field << 3 | kind);
    varint(head, value);
    add(head.toByteArray());
  }

  ProtoMessage number(int field, long value) {
    tag(field, VARINT, value);
    return this;
  }

  ProtoMessage numbers(int field, List<Long> values) {
    values.forEach(v -> number(field, v));
    return this;
  }

  ProtoMessage real(int field, float value) {
    add((byte) (field << 3 | FIXED_32));
    add(ByteBuffer.allocate(Float.BYTES).order(ByteOrder.LITTLE_ENDIAN).putFloat(value).array());
    return this;
  }

  ProtoMessage text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Adds a field of bytes, without copying them. */
  ProtoMessage bytes(int field, byte... value) {
    tag(field, BYTES, value.length);
    add(value);
    return this;
  }

  ProtoMessage message(int field, ProtoMessage value) {
    tag(field, BYTES, value.size);
    parts.addAll(value.parts);
    size += value.size;
    return this;
  }

  void write(FileChannel channel) throws IOException {
    for (byte[] part : parts) {
      AsideFile.writeFully(channel, ByteBuffer.wrap(part));
    }
  }
}
