package ristretto.expr.table;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import ristretto.expr.file.Excerpt;
import ristretto.expr.file.TensorFiles;
import ristretto.kernels.FileFormatException;

/**
 * Messages of an Arrow file, or of a stream that was written to a file: the schema, dictionaries
 * and record batches. A file ends with a footer that lists them; in it, dictionaries may follow the
 * batches that use them.
 */
final class ArrowMessages implements AutoCloseable {
  static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);

  /** Mark before the size of a message, since version 0.15 of Arrow. */
  static final int CONTINUATION = -1;

  private static final int CHUNK = 1 << 30;
  private static final int MOST_METADATA = 1 << 28;

  private final Path path;
  private final FileChannel channel;
  private final long size;

  /** Receiver of messages. */
  interface Receiver {
    /** Reads a message; {@code bodyAt} is the position of its body in the file. */
    void message(Message message, long bodyAt) throws IOException;
  }

  private ArrowMessages(Path path, FileChannel channel) throws IOException {
    this.path = path;
    this.channel = channel;
    this.size = channel.size();
  }

  static ArrowMessages open(Path path) throws IOException {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw new IOException("not a regular file");
    }
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      return new ArrowMessages(path, channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Reads the schema, then all dictionaries and record batches. */
  void forEach(Receiver to) throws IOException {
    byte[] first = size < MAGIC.length ? new byte[0] : bytes(0, MAGIC.length).array();
    if (Arrays.equals(first, MAGIC)) {
      file(to);
    } else {
      stream(to);
    }
  }

  private void file(Receiver to) throws IOException {
    int tail = Integer.BYTES + MAGIC.length;
    require(size >= MAGIC.length + (long) tail, "a footer at the end", "a file that is cut off");
    ByteBuffer end = bytes(size - tail, tail);
    int length = end.getInt();
    byte[] magic = new byte[MAGIC.length];
    end.get(magic);
    require(
        Arrays.equals(magic, MAGIC) && length > 0 && length <= size - tail - MAGIC.length,
        "a footer at the end",
        "a file that is cut off");
    Footer footer = Footer.getRootAsFooter(bytes(size - tail - length, length));
    // Padding after the magic bytes fills 8 bytes.
    next(8, to);
    for (int k = 0; k < footer.dictionariesLength(); k++) {
      block(footer.dictionaries(k), to);
    }
    for (int k = 0; k < footer.recordBatchesLength(); k++) {
      block(footer.recordBatches(k), to);
    }
  }

  private void block(Block block, Receiver to) throws IOException {
    require(next(block.offset(), to) > 0, "messages where the footer says", "none there");
  }

  private void stream(Receiver to) throws IOException {
    long at = next(0, to);
    while (at > 0 && at < size) {
      at = next(at, to);
    }
  }

  /** Reads the message at a position; returns the position behind it, or 0 at the end. */
  private long next(long at, Receiver to) throws IOException {
    int length = bytes(at, Integer.BYTES).getInt();
    long begin = at + Integer.BYTES;
    if (length == CONTINUATION) {
      length = bytes(begin, Integer.BYTES).getInt();
      begin += Integer.BYTES;
    }
    if (length == 0) {
      return 0;
    }
    require(
        length > 0 && length <= MOST_METADATA && begin + length <= size,
        "Arrow IPC messages",
        "a message of " + length + " bytes at byte " + at);
    Message message = Message.getRootAsMessage(bytes(begin, length));
    long body = begin + length;
    require(
        message.bodyLength() >= 0 && message.bodyLength() <= size - body,
        "all bytes of its messages",
        "a message of " + message.bodyLength() + " bytes at byte " + body);
    to.message(message, body);
    return body + message.bodyLength();
  }

  /** Largest number of rows: a column of booleans has a bit a row, and LZ4 has its limit. */
  long mostRows() {
    return Math.multiplyExact(size, Byte.SIZE * ArrowBatch.LZ4_RATIO);
  }

  /** Reads bytes of a body. */
  MemorySegment read(Arena arena, long at, long length) throws IOException {
    MemorySegment to = arena.allocate(length, Long.BYTES);
    for (long k = 0; k < length; k += CHUNK) {
      fill(to.asSlice(k, Math.min(CHUNK, length - k)).asByteBuffer(), at + k);
    }
    return to;
  }

  private ByteBuffer bytes(long at, int length) throws IOException {
    var to = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    fill(to, at);
    return to.flip();
  }

  private void fill(ByteBuffer to, long at) throws IOException {
    long position = at;
    while (to.hasRemaining()) {
      int count = channel.read(to, position);
      if (count < 0) {
        throw new EOFException();
      }
      position += count;
    }
  }

  void require(boolean holds, String rule, String got) {
    if (!holds) {
      throw malformed(rule, got);
    }
  }

  /** Exception for a file that breaks a rule of the format. */
  FileFormatException malformed(String rule, String got) {
    return new FileFormatException(
        "[readArrow] an Arrow file must have %s; got %s in %s; write it again."
            .formatted(rule, got, name()));
  }

  String name() {
    return Excerpt.whole(path.toAbsolutePath().toString());
  }

  static RuntimeException failed(Path path, IOException e) {
    return TensorFiles.failed("readArrow", "an Arrow file must exist and be readable", path, e);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
