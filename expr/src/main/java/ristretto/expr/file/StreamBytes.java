package ristretto.expr.file;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Content of a stream, read to its end. */
final class StreamBytes implements ByteSource {
  private static final int BLOCK = 1 << 24;

  private final List<MemorySegment> blocks = new ArrayList<>();
  private final long size;

  private StreamBytes(InputStream in) throws IOException {
    long count = 0;
    while (true) {
      byte[] block = in.readNBytes(BLOCK);
      if (block.length > 0) {
        blocks.add(MemorySegment.ofArray(block));
        count += block.length;
      }
      if (block.length < BLOCK) {
        break;
      }
    }
    size = count;
  }

  /** Reads a stream to its end; does not close it. */
  static FileBytes read(InputStream in) throws IOException {
    var bytes = new StreamBytes(in);
    return new FileBytes("the stream", bytes, bytes.size);
  }

  @Override
  public void read(long at, MemorySegment target) {
    long done = 0;
    while (done < target.byteSize()) {
      MemorySegment block = blocks.get((int) ((at + done) / BLOCK));
      long from = (at + done) % BLOCK;
      long count = Math.min(block.byteSize() - from, target.byteSize() - done);
      MemorySegment.copy(block, from, target, done, count);
      done += count;
    }
  }
}
