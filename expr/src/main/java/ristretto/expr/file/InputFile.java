package ristretto.expr.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import ristretto.kernels.FileFormatException;

/**
 * File opened for reading, never mapped: if another process truncates a mapped file, access to the
 * lost pages crashes the JVM, while a read throws an exception.
 */
final class InputFile implements ByteSource, AutoCloseable {
  private static final int CHUNK = 1 << 30;

  private final Path path;
  private final FileChannel channel;
  private final long size;

  private InputFile(Path path, FileChannel channel) throws IOException {
    this.path = path;
    this.channel = channel;
    this.size = channel.size();
  }

  static InputFile open(Path path) {
    try {
      if (Files.exists(path) && !Files.isRegularFile(path)) {
        throw new IOException("not a regular file");
      }
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      try {
        return new InputFile(path, channel);
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw failed(path, e);
    }
  }

  FileBytes bytes() {
    return new FileBytes(Excerpt.whole(path.toString()), this, size);
  }

  @Override
  public void read(long at, MemorySegment target) {
    Chunks.forEach(target, CHUNK, new Fill(at));
  }

  /** Reads consecutive chunks. */
  private final class Fill implements Chunks.Action<RuntimeException> {
    private long at;

    Fill(long at) {
      this.at = at;
    }

    @Override
    public void accept(ByteBuffer bytes) {
      try {
        while (bytes.hasRemaining()) {
          int count = channel.read(bytes, at);
          if (count < 0) {
            throw new FileFormatException(
                String.format(
                    Locale.ROOT,
                    "[load] a file must not change while it is read; got the end of the file at"
                        + " byte %d of %s, which had %d bytes; write to another file and rename it",
                    at,
                    Excerpt.whole(path.toString()),
                    size));
          }
          at += count;
        }
      } catch (IOException e) {
        throw failed(path, e);
      }
    }
  }

  private static RuntimeException failed(Path path, IOException e) {
    return TensorFiles.failed("load", "a tensor file must exist and be readable", path, e);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw failed(path, e);
    }
  }
}
