package ristretto.expr.table;

import com.google.flatbuffers.FlatBufferBuilder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.LargeUtf8;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Null;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import ristretto.expr.file.AsideFile;
import ristretto.expr.file.TensorFiles;
import ristretto.kernels.FileException;

/** Writer of Arrow IPC files without compression. */
public final class WriteArrow {
  private static final int BATCH = 1 << 16;
  private static final int ALIGNMENT = 8;
  private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG_UNALIGNED;

  private final FileChannel channel;
  private final List<TableColumn> columns;
  private final List<long[]> blocks = new ArrayList<>();

  private WriteArrow(FileChannel channel, List<TableColumn> columns) {
    this.channel = channel;
    this.columns = columns;
  }

  /**
   * Writes columns of equally many rows; leaves an existing file unchanged on failure.
   *
   * @throws FileException if the file cannot be written
   */
  public static void to(Path file, List<TableColumn> columns, long rows) {
    try {
      AsideFile.write(file, channel -> new WriteArrow(channel, columns).write(rows));
    } catch (IOException e) {
      throw TensorFiles.failed("writeArrow", "an Arrow file must be writable", file, e);
    }
  }

  private void write(long rows) throws IOException {
    write(ByteBuffer.allocate(ALIGNMENT).put(0, ArrowMessages.MAGIC));
    var schema = new FlatBufferBuilder();
    message(schema, MessageHeader.Schema, schema(schema), 0);
    for (long from = 0; from < rows; from += BATCH) {
      batch(from, Math.min(rows, from + BATCH));
    }
    write(numbers(ArrowMessages.CONTINUATION, 0));
    var footer = new FlatBufferBuilder();
    int fields = schema(footer);
    Footer.startRecordBatchesVector(footer, blocks.size());
    for (long[] b : blocks.reversed()) {
      Block.createBlock(footer, b[0], (int) b[1], b[2]);
    }
    int batches = footer.endVector();
    Footer.startDictionariesVector(footer, 0);
    int none = footer.endVector();
    footer.finish(Footer.createFooter(footer, MetadataVersion.V5, fields, none, batches, 0));
    ByteBuffer content = footer.dataBuffer();
    int length = content.remaining();
    write(content);
    write(
        ByteBuffer.allocate(Integer.BYTES + ArrowMessages.MAGIC.length)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(length)
            .put(ArrowMessages.MAGIC)
            .flip());
  }

  private void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private static ByteBuffer numbers(int a, int b) {
    return ByteBuffer.allocate(2 * Integer.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(a)
        .putInt(b)
        .flip();
  }

  /** Writes a message without its body; returns the number of its bytes. */
  private int message(FlatBufferBuilder to, byte type, int header, long bodyLength)
      throws IOException {
    to.finish(Message.createMessage(to, MetadataVersion.V5, type, header, bodyLength, 0));
    ByteBuffer content = to.dataBuffer();
    int length = (int) padded(content.remaining());
    int padding = length - content.remaining();
    write(numbers(ArrowMessages.CONTINUATION, length));
    write(content);
    write(ByteBuffer.allocate(padding));
    return 2 * Integer.BYTES + length;
  }

  private static long padded(long bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  // Schema

  private int schema(FlatBufferBuilder to) {
    int[] fields = new int[columns.size()];
    for (int k = 0; k < fields.length; k++) {
      fields[k] = field(to, columns.get(k));
    }
    return Schema.createSchema(to, Endianness.Little, Schema.createFieldsVector(to, fields), 0, 0);
  }

  private static int field(FlatBufferBuilder to, TableColumn c) {
    int name = to.createString(c.name());
    int children = Field.createChildrenVector(to, new int[0]);
    byte type =
        switch (c.kind()) {
          case BLANK -> Type.Null;
          case BOOLEAN -> Type.Bool;
          case WHOLE -> Type.Int;
          case NUMBER -> Type.FloatingPoint;
          case DATE -> Type.Date;
          case TIME -> Type.Timestamp;
          case TEXT -> Type.LargeUtf8;
        };
    int parameters =
        switch (c.kind()) {
          case BLANK -> empty(to, Null::startNull, Null::endNull);
          case BOOLEAN -> empty(to, Bool::startBool, Bool::endBool);
          case WHOLE -> Int.createInt(to, Long.SIZE, true);
          case NUMBER -> FloatingPoint.createFloatingPoint(to, Precision.DOUBLE);
          case DATE -> Date.createDate(to, DateUnit.MILLISECOND);
          case TIME -> Timestamp.createTimestamp(to, TimeUnit.MILLISECOND, to.createString("UTC"));
          case TEXT -> empty(to, LargeUtf8::startLargeUtf8, LargeUtf8::endLargeUtf8);
        };
    return Field.createField(to, name, true, type, parameters, 0, children, 0);
  }

  private interface Start {
    void at(FlatBufferBuilder to);
  }

  private interface End {
    int at(FlatBufferBuilder to);
  }

  private static int empty(FlatBufferBuilder to, Start start, End end) {
    start.at(to);
    return end.at(to);
  }

  // Batches

  private void batch(long from, long to) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      var buffers = new ArrayList<MemorySegment>();
      var missing = new long[columns.size()];
      for (int c = 0; c < missing.length; c++) {
        missing[c] = column(arena, columns.get(c), from, to, buffers);
      }
      long length = 0;
      for (MemorySegment b : buffers) {
        length += padded(b.byteSize());
      }
      var header = new FlatBufferBuilder();
      int batch = batch(header, to - from, missing, buffers, length);
      long at = channel.position();
      int metadata = message(header, MessageHeader.RecordBatch, batch, length);
      for (MemorySegment b : buffers) {
        write(b.asByteBuffer());
        write(ByteBuffer.allocate((int) (padded(b.byteSize()) - b.byteSize())));
      }
      blocks.add(new long[] {at, metadata, length});
    }
  }

  private static int batch(
      FlatBufferBuilder to, long rows, long[] missing, List<MemorySegment> buffers, long length) {
    // Vectors of FlatBuffers are written backwards.
    RecordBatch.startBuffersVector(to, buffers.size());
    long at = length;
    for (MemorySegment b : buffers.reversed()) {
      at -= padded(b.byteSize());
      Buffer.createBuffer(to, at, b.byteSize());
    }
    int places = to.endVector();
    RecordBatch.startNodesVector(to, missing.length);
    for (int c = missing.length - 1; c >= 0; c--) {
      FieldNode.createFieldNode(to, rows, missing[c]);
    }
    int nodes = to.endVector();
    return RecordBatch.createRecordBatch(to, rows, nodes, places, 0, 0);
  }

  /** Appends the buffers of a column; returns the number of missing values. */
  private static long column(
      Arena arena, TableColumn c, long from, long to, List<MemorySegment> buffers) {
    long rows = to - from;
    if (c.kind() == ColumnKind.BLANK) {
      return rows;
    }
    MemorySegment valid = MemorySegment.NULL;
    long missing = 0;
    if (c.isFloating() && c.kind() != ColumnKind.NUMBER) {
      valid = arena.allocate((rows + 7) / 8);
      for (long k = 0; k < rows; k++) {
        if (Double.isNaN(c.number(from + k))) {
          missing++;
        } else {
          setBit(valid, k);
        }
      }
    }
    buffers.add(valid);
    switch (c.kind()) {
      case TEXT -> texts(arena, c, from, to, buffers);
      case BOOLEAN -> {
        MemorySegment bits = arena.allocate((rows + 7) / 8);
        for (long k = 0; k < rows; k++) {
          if (c.number(from + k) == 1) {
            setBit(bits, k);
          }
        }
        buffers.add(bits);
      }
      default -> {
        MemorySegment data = arena.allocate(rows * Long.BYTES, Long.BYTES);
        for (long k = 0; k < rows; k++) {
          data.setAtIndex(I64, k, bits(c, from + k));
        }
        buffers.add(data);
      }
    }
    return missing;
  }

  private static void setBit(MemorySegment bits, long k) {
    byte b = bits.get(ValueLayout.JAVA_BYTE, k >> 3);
    bits.set(ValueLayout.JAVA_BYTE, k >> 3, (byte) (b | 1 << (k & 7)));
  }

  /** Bits of a number; 0 for a missing whole number. */
  private static long bits(TableColumn c, long row) {
    if (c.kind() == ColumnKind.NUMBER) {
      return Double.doubleToRawLongBits(c.number(row));
    }
    long v = c.isFloating() ? (long) c.number(row) : c.whole(row);
    return c.kind() == ColumnKind.DATE ? Math.multiplyExact(v, 86_400_000L) : v;
  }

  private static void texts(
      Arena arena, TableColumn c, long from, long to, List<MemorySegment> buffers) {
    int rows = (int) (to - from);
    List<String> all = c.texts();
    MemorySegment offsets = arena.allocate((rows + 1L) * Long.BYTES, Long.BYTES);
    byte[][] texts = new byte[rows][];
    for (int k = 0; k < rows; k++) {
      texts[k] = all.get((int) from + k).getBytes(StandardCharsets.UTF_8);
      offsets.setAtIndex(I64, k + 1, offsets.getAtIndex(I64, k) + texts[k].length);
    }
    MemorySegment data = arena.allocate(offsets.getAtIndex(I64, rows));
    for (int k = 0; k < rows; k++) {
      MemorySegment.copy(
          texts[k], 0, data, ValueLayout.JAVA_BYTE, offsets.getAtIndex(I64, k), texts[k].length);
    }
    buffers.add(offsets);
    buffers.add(data);
  }
}
