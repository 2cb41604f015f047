package ristretto.expr.file;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Writes a file under another name beside it, forces it to the disk and renames it: whatever
 * happens, there is the old file or the new one, whole. Tensors mapped from the old file stay
 * readable.
 */
public final class AsideFile implements AutoCloseable {
  private static final int CHUNK = 1 << 30;

  private final Path aside;
  private final Path target;
  private final FileChannel channel;

  /** What to write. */
  @FunctionalInterface
  public interface Content {
    /** From the start of an empty file. */
    void write(FileChannel channel) throws IOException;
  }

  private AsideFile(Path aside, Path target) throws IOException {
    this.aside = aside;
    this.target = target;
    this.channel = FileChannel.open(aside, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /** Begins an empty file beside the one that it will replace or make. */
  public static AsideFile open(Path path) throws IOException {
    // a link stays a link: what it points to is replaced
    Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
    if (!Files.isDirectory(target.getParent())) {
      throw new NotDirectoryException(target.getParent().toString());
    }
    long random = ThreadLocalRandom.current().nextLong();
    String name = ".ristretto-%s.tmp".formatted(HexFormat.of().toHexDigits(random));
    return new AsideFile(target.resolveSibling(name), target);
  }

  /** Replaces or makes a file. */
  public static void write(Path path, Content content) throws IOException {
    try (AsideFile file = open(path)) {
      content.write(file.channel);
      file.commit();
    }
  }

  /** Where to write. */
  public FileChannel channel() {
    return channel;
  }

  /** All is written: this file takes the other's place. */
  public void commit() throws IOException {
    channel.force(true);
    channel.close();
    move(aside, target);
  }

  /** Without a commit, leaves nothing behind. */
  @Override
  public void close() throws IOException {
    try {
      channel.close();
    } finally {
      Files.deleteIfExists(aside);
    }
  }

  private static void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  static void writeFully(FileChannel channel, MemorySegment data) throws IOException {
    Chunks.forEach(data, CHUNK, bytes -> writeFully(channel, bytes));
  }

  /** All that remains in the buffer. */
  public static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
