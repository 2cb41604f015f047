package ristretto.expr.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Type;
import org.apache.arrow.flatbuf.Union;
import org.apache.arrow.flatbuf.UnionMode;

/** Record batch, whose fields and buffers are taken one after the other. */
final class ArrowBatch {
  private static final ValueLayout.OfLong LENGTH = ValueLayout.JAVA_LONG_UNALIGNED;

  /** Largest number of bytes that a byte of LZ4 expands to. */
  static final long LZ4_RATIO = 255;

  private static final int MOST_NESTED = 64;

  private final ArrowMessages file;
  private final RecordBatch batch;
  private final MemorySegment body;
  private final boolean oldUnions;
  private int node;
  private int buffer;
  private int variadic;

  ArrowBatch(ArrowMessages file, RecordBatch batch, MemorySegment body, short version) {
    this.file = file;
    this.batch = batch;
    this.body = body;
    this.oldUnions = version < MetadataVersion.V5;
  }

  long rows() {
    return batch.length();
  }

  FieldNode nextNode() {
    return batch.nodes(node++);
  }

  /** Number of the data buffers of the next field of views. */
  int nextVariadicCount() {
    int count = Math.toIntExact(batch.variadicBufferCounts(variadic++));
    return Math.min(count, batch.buffersLength());
  }

  /** Content of the next buffer, uncompressed. */
  MemorySegment nextBuffer() {
    Buffer b = batch.buffers(buffer++);
    MemorySegment content = body.asSlice(b.offset(), b.length());
    BodyCompression compression = batch.compression();
    if (compression == null || content.byteSize() == 0) {
      return content;
    }
    long length = content.get(LENGTH, 0);
    MemorySegment packed = content.asSlice(Long.BYTES);
    if (length == -1) {
      return packed;
    }
    file.require(
        compression.codec() == CompressionType.LZ4_FRAME,
        "no compression, or LZ4",
        "buffers compressed by Zstandard");
    file.require(
        length >= 0 && length <= LZ4_RATIO * packed.byteSize() && length < Integer.MAX_VALUE - 8,
        "buffers of the size that they state",
        "a buffer of " + length + " bytes from " + packed.byteSize());
    byte[] unpacked = new byte[(int) length];
    file.require(
        Lz4Frame.decode(packed.toArray(ValueLayout.JAVA_BYTE), unpacked),
        "valid LZ4 frames of the size that it states",
        "another frame");
    return MemorySegment.ofArray(unpacked);
  }

  /** Skips a field of any type, with its children. */
  void skip(Field field) {
    skip(field, 0);
  }

  private void skip(Field field, int depth) {
    file.require(depth < MOST_NESTED, "at most 64 nested types", "more");
    node++;
    if (field.dictionary() != null) {
      buffer += 2;
      return;
    }
    buffer +=
        switch (field.typeType()) {
          case Type.Null, Type.RunEndEncoded -> 0;
          case Type.Struct_, Type.FixedSizeList -> 1;
          case Type.Utf8, Type.LargeUtf8, Type.Binary, Type.LargeBinary -> 3;
          case Type.ListView, Type.LargeListView -> 3;
          case Type.Utf8View, Type.BinaryView -> 2 + nextVariadicCount();
          case Type.Union -> {
            short mode = ((Union) field.type(new Union())).mode();
            yield (mode == UnionMode.Dense ? 2 : 1) + (oldUnions ? 1 : 0);
          }
          default -> 2;
        };
    for (int k = 0; k < field.childrenLength(); k++) {
      skip(field.children(k), depth + 1);
    }
  }
}
